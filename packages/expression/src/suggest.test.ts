// The suggestion for an unknown word.
import { expect, test } from "vitest";
import { suggest } from "./suggest.ts";

test.each([
  ["cut short", "dec", ["ref", "decimal", "date"], "decimal"],
  ["cut short, of two the shorter", "date", ["datetime_range", "datetime"], "datetime"],
  ["in other letters", "DEC", ["ref", "decimal"], "decimal"],
  ["misspelt", "stirng", ["slug", "string"], "string"],
  ["one letter alone", "d", ["decimal", "ip"], null],
  ["nothing like it", "banana", ["decimal", "string"], null],
])("%s", (_case, word, known, meant) => {
  expect(suggest(word, known)).toBe(meant);
});
