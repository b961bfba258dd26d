// Filters of the table: the operators that fit a field, and the words for a filter.
import { expect, test } from "vitest";
import { filterText, operatorsFor } from "./filter-operators.ts";

const labels = (kind: string) => operatorsFor(kind).map(({ label }) => label);

test("texts, numbers and all other kinds have their own comparisons", () => {
  expect(labels("email")).toContain("contains");
  expect(labels("money")).toEqual(["is", "is not", "is at least", "is at most", "is null", "is not null"]);
  expect(labels("enum")).toEqual(["is", "is not", "is null", "is not null"]);
});

test.each([
  ["price[gte]", "5", "price", "is at least 5"],
  ["title", "a=b", "title", "is a=b"],
  ["note[is_null]", "false", "note", "is not null"],
])("%s=%s is read as a sentence", (filter, value, field, text) => {
  expect(filterText(filter, value)).toEqual({ field, text });
});
