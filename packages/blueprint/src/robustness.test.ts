// Whatever the text: no throw, diagnostics in order and within the text, a bounded number of them, in bounded time.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "./check-blueprint.ts";
import { formatBlueprint } from "./format.ts";
import { BLUEPRINT_LENGTH_MAX } from "./parse.ts";
import { DIAGNOSTICS_MAX } from "./report.ts";

const examples = ["market-square", "parcel-desk"].map((name) =>
  readFileSync(new URL(`../../../docs/examples/${name}.yaml`, import.meta.url), "utf8"),
);

function holds(text: string): void {
  const { model, diagnostics } = checkBlueprint(text);
  expect(model === null).toBe(diagnostics.some((one) => one.severity === "error"));
  expect(diagnostics.length).toBeLessThanOrEqual(DIAGNOSTICS_MAX);
  let last = 0;
  for (const { span, message } of diagnostics) {
    expect(message).not.toBe("");
    expect(span.start.offset).toBeGreaterThanOrEqual(last);
    expect(span.end.offset).toBeGreaterThanOrEqual(span.start.offset);
    expect(span.end.offset).toBeLessThanOrEqual(text.length);
    const before = text.slice(0, span.start.offset).split("\n");
    expect([span.start.line, span.start.column]).toEqual([before.length, (before.at(-1)?.length ?? 0) + 1]);
    last = span.start.offset;
  }
  const formatted = formatBlueprint(text);
  if ("text" in formatted) {
    expect(formatBlueprint(formatted.text)).toEqual(formatted);
    expect(checkBlueprint(formatted.text).model).toEqual(model);
  }
}

const scraps = fc.constantFrom(
  "\n",
  " ",
  "  ",
  "\t",
  ":",
  ": ",
  "#",
  " #",
  "- ",
  "{",
  "}",
  "[",
  "]",
  ",",
  "'",
  '"',
  "!",
  "*",
  "&a ",
  "|",
  ">",
  "?",
  "? ",
  "%",
  "@",
  "`",
  "=",
  "== ",
  "~",
  "null",
  "true",
  "yes",
  "---\n",
  "...\n",
  "\r\n",
  "\u0000",
  "\ufeff",
  "é",
  "😀",
  "<<: *a",
  "enum[",
  "ref(",
);
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat({ max: 12 }),
  insert: fc.array(scraps, { maxLength: 3 }).map((parts) => parts.join("")),
});

function mutate(text: string, { at, remove, insert }: { at: number; remove: number; insert: string }): string {
  const offset = Math.floor(at * text.length);
  return text.slice(0, offset) + insert + text.slice(offset + remove);
}

test("property: an example damaged anywhere", () => {
  const damaged = fc
    .tuple(fc.constantFrom(...examples), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutate, text));
  fc.assert(fc.property(damaged, holds), { numRuns: 150 });
});

test("property: scraps of YAML", () => {
  fc.assert(
    fc.property(
      fc.array(scraps, { maxLength: 30 }).map((parts) => parts.join("")),
      holds,
    ),
    { numRuns: 150 },
  );
});

test("a byte order mark is taken at the start alone", () => {
  expect(checkBlueprint("\ufeffproject: demo\n").diagnostics).toEqual([]);
  expect(checkBlueprint("\ufeff\ufeffproject: demo\n").diagnostics.map(({ code }) => code)).toEqual(["yaml_syntax"]);
});

test("an example with Windows line ends is the same blueprint", () => {
  for (const text of examples)
    expect(checkBlueprint(text.replaceAll("\n", "\r\n")).model).toEqual(checkBlueprint(text).model);
});

describe("large and hostile texts end in bounded time", () => {
  const fill = (unit: string, length = BLUEPRINT_LENGTH_MAX): string => unit.repeat(Math.floor(length / unit.length));
  test.each([
    ["brackets", fill("[")],
    ["braces", fill("{a: ")],
    ["block maps", Array.from({ length: 1400 }, (_, i) => `${" ".repeat(i)}a:\n`).join("")],
    ["dashes", fill("- ")],
    ["quotes", fill('"', 200_000)],
    ["colons", fill("a: ")],
    ["traps", `project: demo\ntests:\n${fill("  a: *b c\n", 200_000)}`],
    ["keys", `project: demo\ntests:\n${Array.from({ length: 40_000 }, (_, i) => `  k${i}: 1\n`).join("")}`],
    [
      "unknown fields",
      `project: demo\nentities:\n${Array.from({ length: 2000 }, (_, i) => `  e${i}:\n    a: strin\n`).join("")}`,
    ],
    ["comments", fill("# x\n")],
    [
      "a rule",
      `project: demo\nentities:\n  a:\n    fields: { b: bool }\n    permissions: { user: { read: "${"(".repeat(100_000)}" } }\n`,
    ],
    [
      "an enum",
      `project: demo\nentities:\n  a:\n    b: enum[${Array.from({ length: 60_000 }, (_, i) => `v${i}`).join(", ")}]\n`,
    ],
    [
      "a tower of roles",
      `project: demo\nmodules: [roles]\nroles:\n${Array.from({ length: 2000 }, (_, i) => `  r${i}: { inherits: [${i === 0 ? "user" : `r${i - 1}`}] }\n`).join("")}`,
    ],
  ])("%s", (_, text) => {
    const start = performance.now();
    const { diagnostics } = checkBlueprint(text.slice(0, BLUEPRINT_LENGTH_MAX));
    expect(diagnostics.length).toBeLessThanOrEqual(DIAGNOSTICS_MAX);
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
