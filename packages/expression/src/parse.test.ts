// Parsing CEL text returns a plain tree with offsets. For any text, nothing is thrown.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EXPRESSION_LENGTH_MAX, parseExpression } from "./parse.ts";

function problem(text: string): string {
  const { syntax, problems } = parseExpression(text);
  expect(syntax).toBeNull();
  return problems.map((one) => `${one.code} ${one.start}-${one.end} ${one.hint ?? ""}`.trim()).join("; ");
}

test("a comparison contains the positions of its sides", () => {
  expect(parseExpression("status == active").syntax).toEqual({
    kind: "comparison",
    operator: "==",
    left: { kind: "name", name: "status", start: 0, end: 6 },
    right: { kind: "name", name: "active", start: 10, end: 16 },
    start: 0,
    end: 16,
  });
});

test("a chain is one node", () => {
  const { syntax } = parseExpression("a && b && c || d");
  expect(syntax).toMatchObject({
    kind: "logic",
    operator: "||",
    operands: [{ kind: "logic", operands: [{}, {}, {}] }, { name: "d" }],
  });
});

test("words that CEL reserves are names, and stay unchanged in texts and comments", () => {
  expect(parseExpression("package == 'package' // package").syntax).toMatchObject({
    left: { kind: "name", name: "package" },
    right: { kind: "literal", value: "package" },
  });
  expect(parseExpression('shop.namespace == "a\\"package"').syntax).toMatchObject({
    left: { kind: "member", name: "namespace", object: { name: "shop" } },
    right: { value: 'a"package' },
  });
});

test("numbers keep their written form", () => {
  expect(parseExpression("a == -3").syntax).toMatchObject({ right: { kind: "number", text: "-3" } });
  expect(parseExpression("a == 3.0").syntax).toMatchObject({ right: { text: "3.0" } });
  expect(parseExpression("a == 99999999999999999999.10").syntax).toMatchObject({
    right: { text: "99999999999999999999.10" },
  });
  expect(parseExpression("a == 0x1F").syntax).toMatchObject({ right: { text: "31" } });
  expect(parseExpression("a == - -1e3").syntax).toMatchObject({ right: { text: "1e3" } });
});

describe("refuses", () => {
  test.each([
    ["a = b", "expression_syntax 2-3 Compare with `==`."],
    ["a and b", "expression_syntax 2-5 Write `&&` instead of `and`."],
    ["a ==", "expression_syntax 4-4 For example `user_id == current_user.id && status != draft`."],
    ["", "expression_syntax 0-0 For example `user_id == current_user.id && status != draft`."],
    ["a # b", "expression_syntax 2-3"],
  ])("%s", (text, expected) => expect(problem(text)).toBe(expected));

  test("texts that are too long, too deep or too complex", () => {
    expect(problem("a".repeat(EXPRESSION_LENGTH_MAX + 1))).toContain("expression_too_large");
    expect(problem(`${"(".repeat(500)}a${")".repeat(500)}`)).toContain("expression_too_large");
    expect(problem(`${"!".repeat(3000)}a`)).toContain("expression_too_large");
    expect(problem(Array.from({ length: 600 }, () => "a").join("&&"))).toContain("expression_too_large");
  });
});

test.each([
  ["a[0]", "an index"],
  ["{'a': 1}", "a map"],
  ["b'x'", "bytes"],
  ["1u", "an unsigned number"],
  ["'\\u0000'", "a text with a NUL character or half of a surrogate pair"],
])("%s is parsed, and reported as not supported", (text, what) => {
  expect(parseExpression(text).syntax).toMatchObject({ kind: "unsupported", what });
});

test("property: nothing throws, and every problem is inside the text", () => {
  const words = fc.constantFrom(
    "a",
    "package",
    "==",
    "&&",
    "||",
    "!",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "in",
    "'",
    '"',
    "1",
    "1.5",
    "null",
    "has(",
    "{",
    ":",
    "?",
    "\\",
    "//",
    "\n",
    "é",
    "😀",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(words).map((parts) => parts.join(" ")),
    fc.array(words).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (source) => {
      const { syntax, problems } = parseExpression(source);
      expect(syntax === null).toBe(problems.length > 0);
      for (const { start, end } of problems) {
        expect(start).toBeLessThanOrEqual(end);
        expect(end).toBeLessThanOrEqual(source.length);
      }
    }),
    { numRuns: 2000 },
  );
});
