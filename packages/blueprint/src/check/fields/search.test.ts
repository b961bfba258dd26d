// `searchable(A, fuzzy)`: its form in the model, short or long, and its mistakes.
import { expect, test } from "vitest";
import { codes, field } from "../testing/sample-entities.ts";

const plain = field("string?");

test.each([
  ["searchable(A)", "A", { weight: "A", fuzzy: false }],
  ["searchable(fuzzy)", "fuzzy", { weight: "D", fuzzy: true }],
  ["searchable(B, fuzzy)", "[B, fuzzy]", { weight: "B", fuzzy: true }],
  ["searchable(fuzzy, C)", "[fuzzy, C]", { weight: "C", fuzzy: true }],
])("%s", (short, long, search) => {
  const expected = { ...plain, searchable: true, search };
  expect(field(`string? ${short}`)).toEqual(expected);
  expect(field(`{ type: string, optional: true, searchable: ${long} }`)).toEqual(expected);
});

test.each([
  ["string searchable(E)", "invalid_field"],
  ["string searchable(A, B)", "duplicate_value"],
  ["string searchable(fuzzy, fuzzy)", "duplicate_value"],
  ["{ type: string, searchable: [A, much] }", "invalid_field"],
  ["{ type: string, searchable: { weight: A } }", "wrong_kind"],
  ["int searchable(A)", "misplaced_modifier"],
  ["i18n<text> searchable(fuzzy)", "misplaced_modifier"],
])("%s is refused as %s", (notation, code) => expect(codes(notation)).toEqual([code]));
