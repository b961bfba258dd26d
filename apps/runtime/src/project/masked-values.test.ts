// Values that are masked in one place are masked everywhere else.
import { expect, it } from "vitest";
import { createMaskedValues, type MaskedValues } from "./masked-values.ts";

const knowing = (...values: readonly unknown[]): MaskedValues => {
  const masked = createMaskedValues();
  for (const value of values) masked.learn({ a: [value] }, { a: ["[masked]"] });
  return masked;
};

it.each([
  ["Ada Lovelace", "Dear ADA LOVELACE!", "Dear [masked]!"],
  ["Ada Lovelace", "?name=Ada%20Lovelace&n=1", "?name=[masked]&n=1"],
  ['Ada "A"', String.raw`{"name":"Ada \"A\""}`, '{"name":"[masked]"}'],
  ["Ada", "Ada", "[masked]"],
  ["Ada", "Adam", "Adam"],
  ["no", "no", "no"],
  [4711_0815, 47110815, "[masked]"],
  [4711_0815, "no. 47110815", "no. [masked]"],
  ["12345", "ab12345cd12345", "ab[masked]cd[masked]"],
  ["\ud800half", "x", "x"],
])("%j in %j", (value, text, shown) => expect(knowing(value).apply(text)).toEqual(shown));

it("the longest of two matches is masked, wherever it is", () => {
  const masked = knowing("ada@example.com", "ada@example.com.au");
  expect(masked.apply({ to: ["ada@example.com.au", null, true], "of ada@example.com": 1 })).toEqual({
    to: ["[masked]", null, true],
    "of [masked]": 1,
  });
});

it("a value that was not masked is not remembered", () => {
  const masked = createMaskedValues();
  expect(masked.learn({ name: "Berlin", no: null }, { name: "Berlin", no: null })).toEqual({
    name: "Berlin",
    no: null,
  });
  expect(masked.apply("Berlin")).toBe("Berlin");
});

it("a value beyond the search limit is not shown, and takes no time", () => {
  const masked = knowing(...Array.from({ length: 5_000 }, (_, at) => `same start ${at}`));
  const startedMs = performance.now();
  expect(masked.apply("same start ".repeat(100_000))).toBe("[masked]");
  expect(masked.apply("short")).toBe("[masked]");
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
