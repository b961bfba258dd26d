// Examples of data that a change would drop.
import { expect, test } from "vitest";
import { exampleValues } from "./example-values.ts";

const rows = [
  {
    id: "1",
    version: 1,
    created_at: "2026-01-01T00:00:00Z",
    name: "Books",
    price: "12.50",
    tags: ["a", "b"],
    note: null,
  },
  {
    id: "2",
    version: 4,
    created_at: "2026-01-01T00:00:00Z",
    name: "Pens",
    price: "12.50",
    tags: [],
    note: "x".repeat(99),
  },
];

test("of a field: each value once, and none that is empty", () => {
  expect(exampleValues(rows, "price")).toEqual(["12.50"]);
  expect(exampleValues(rows, "tags")).toEqual(["a, b", "empty list"]);
  expect(exampleValues(rows, "note")).toEqual([`${"x".repeat(59)}…`]);
  expect(exampleValues(rows, "hidden")).toEqual([]);
});

test("of an entity: the first fields of its records", () => {
  expect(exampleValues(rows, undefined)[0]).toBe("Books, 12.50, a, b");
});
