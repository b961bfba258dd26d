// The strict reading of JSON: equal to JSON.parse if it accepts, and a refusal of everything that two readers could
// understand differently.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mistakeAt } from "./json-mistake.ts";
import { parseStrictJson } from "./strict-json.ts";

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));

describe("strict JSON", () => {
  test("reads what was written", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
        expect(parse(JSON.stringify(value, null, indent))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 1000 },
    );
  });

  test("refuses a repeated key at any place", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (object, pick) => {
        const keys = Object.keys(object);
        const key = JSON.stringify(keys[pick % keys.length]);
        const text = `${JSON.stringify(object).slice(0, -1)},${key}:null}`;
        expect(() => parse(`[{"in":${text}}]`)).toThrow(expect.objectContaining({ code: "malformed_json" }));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['{"title": "x", "price": abc}', "The mistake is at line 1, column 25."],
    ['{\n  "title": "x",\n}', "The mistake is at line 3, column 1."],
    ["{'title': 1}", "The mistake is at line 1, column 2."],
    ['{"a": 1} x', "The mistake is at line 1, column 10."],
    ['["a\nb"]', "The mistake is at line 1, column 4."],
    ['{"a": "\\x"}', "The mistake is at line 1, column 8."],
    ["[1, 01]", "The mistake is at line 1, column 5."],
    ['{"title": ', "It ends too early."],
    ['{"title": "x', "It ends too early."],
  ])("says where the mistake of %s is", (text, where) => {
    expect(() => parse(text)).toThrow(`The body is not valid JSON. ${where}`);
  });

  test("finds a mistake wherever JSON.parse does, and only there", () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(
        json,
        fc.nat(),
        fc.constantFrom("", "}", "]", ",", ":", '"', "x", "\\", "0", "-"),
        (text, at, piece) => {
          const place = at % (text.length + 1);
          const changed = `${text.slice(0, place)}${piece}${text.slice(place + 1)}`;
          let isJson = true;
          try {
            JSON.parse(changed);
          } catch {
            isJson = false;
          }
          // Valid JSON contains no mistake.
          if (isJson) expect(mistakeAt(changed)).toBe(changed.length);
          else expect(mistakeAt(changed)).toBeLessThanOrEqual(changed.length);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("refuses or reads like JSON.parse, and never fails otherwise", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"',
      '"a"',
      "\\",
      "1",
      "-",
      "e5",
      ".5",
      "null",
      " ",
      "\u2028",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const text = parts.join("");
        let value: unknown;
        try {
          value = parse(text);
        } catch (error) {
          expect(error).toMatchObject({ code: "malformed_json" });
          return;
        }
        expect(value).toEqual(JSON.parse(text));
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    "0.1",
    "-0",
    "0.0",
    "1.10",
    "1e3",
    "1E-7",
    "123456789012345",
    "9007199254740991",
    "0.30000000000000004",
    "5e-324",
  ])("keeps %s", (number) => {
    expect(parse(number)).toBe(Number(number));
  });

  test.each(["9007199254740993", "1e400", "0.1000000000000000000001", "12345678901234567891", "1e-400", "-1e999"])(
    "refuses %s, which a double can't hold",
    (number) => {
      expect(() => parse(number)).toThrow(expect.objectContaining({ code: "malformed_json" }));
    },
  );

  test("is not slow on a megabyte of anything", () => {
    for (const text of [
      "[".repeat(1e6),
      "\\".repeat(1e6),
      `"${"\\".repeat(999_997)}"`,
      '"'.repeat(1e6),
      "-".repeat(1e6),
      `1e${"9".repeat(1e6)}`,
      `1.${"0".repeat(1e6)}1`,
      `[${`1.${"0".repeat(10_000)}1,`.repeat(100)}1]`,
    ]) {
      const startedMs = performance.now();
      expect(() => parse(text)).toThrow();
      expect(performance.now() - startedMs).toBeLessThan(500);
    }
  });
});
