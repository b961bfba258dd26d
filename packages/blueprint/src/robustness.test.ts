// For any text: nothing throws, diagnostics are in order and inside the text, and their number and the time are
// limited.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { checkText } from "./check/testing/sample-entities.ts";
import { checkBlueprint } from "./check-blueprint.ts";
import { formatBlueprint } from "./format/format.ts";
import { everyField, longForm, sampleField, shortForm } from "./testing/sample-fields.ts";
import { BLUEPRINT_LENGTH_MAX } from "./text/parse.ts";
import { DIAGNOSTICS_MAX } from "./text/report.ts";

/** For a machine that is busy with other work. */
const timeout = 120_000;
const ran = { texts: 0, fields: 0 };
afterAll(() => process.stdout.write(`robustness: ${ran.texts} blueprints, ${ran.fields} fields\n`));

/** A field of every type in both forms, and every option. */
const every = [
  "project: every-part",
  "modules: [auth, users, roles, organizations, audit_logs]",
  "entities:",
  "  seller:",
  "    name: string",
  "  listing:",
  "    was: offer",
  "    unique: [[title, price], [price, f3]]",
  "    index: [price]",
  "    checks: { paid: price > 0 }",
  "    soft_delete: true",
  "    retention: 90d",
  "    audit: all",
  "    label: Listing",
  "    fields:",
  "      title: string",
  "      price: int",
  ...everyField.map((field, index) => {
    const named = {
      ...field,
      modifiers: /^refs?\b/.test(field.type) ? [{ name: "as", argument: `side${index}` }] : [],
    };
    return `      f${index}: ${index % 2 === 0 ? shortForm(named) : longForm(named, true)}`;
  }),
  "  stock:",
  "    fields: { name: string, part_of_id: ref(stock)? }",
  "    seed: { first: { name: One }, second: { name: Two, part_of_id: first } }",
  "",
].join("\n");

const examples = [
  every,
  ...["market-square", "parcel-desk"].map((name) =>
    readFileSync(new URL(`../../../docs/examples/${name}.yaml`, import.meta.url), "utf8"),
  ),
];

test("the example that contains every part is valid", () => {
  expect(checkBlueprint(every).diagnostics.filter((one) => one.severity === "error")).toEqual([]);
});

function holds(text: string): void {
  ran.texts++;
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
  "object{ ",
  "list<",
  "computed(",
  "__proto__",
  "constructor",
  "toString",
  "prіce",
  "\u202e",
  "\u200d",
  "\ud800",
  "9999999999999999999",
  "= ",
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

test("property: an example with a random change", { timeout }, () => {
  const damaged = fc
    .tuple(fc.constantFrom(...examples), fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutate, text));
  fc.assert(fc.property(damaged, holds), { numRuns: 150, seed: 5 });
});

test("property: random pieces of YAML", { timeout }, () => {
  const text = fc.array(scraps, { maxLength: 30 }).map((parts) => parts.join(""));
  fc.assert(fc.property(text, holds), { numRuns: 150, seed: 5 });
});

test("property: any text", { timeout }, () => {
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ unit: "grapheme", maxLength: 200 }));
  const within = text.map((scrap) => `project: demo\nentities:\n  a:\n    b: ${scrap}\n`);
  fc.assert(fc.property(fc.oneof(text, within), holds), { numRuns: 150, seed: 5 });
});

const strange = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "then",
  "yes",
  "null",
  "id",
  "prіce",
  "a".repeat(70),
];
test("property: an unexpected word at any position", { timeout }, () => {
  const replaced = fc
    .tuple(fc.constantFrom(...examples), fc.nat(), fc.constantFrom(...strange))
    .map(([text, at, word]) => {
      const words = [...text.matchAll(/[A-Za-z_][\w-]*/g)];
      const { index = 0, 0: old = "" } = words[at % words.length] ?? {};
      return text.slice(0, index) + word + text.slice(index + old.length);
    });
  fc.assert(fc.property(replaced, holds), { numRuns: 150, seed: 5 });
});

test("property: a field's notation with a random change", { timeout }, () => {
  const notation = sampleField.chain((field) => fc.constantFrom(shortForm(field), longForm(field, true)));
  const damaged = fc
    .tuple(notation, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([text, mutations]) => mutations.reduce(mutate, text));
  fc.assert(
    fc.property(damaged, (field) => {
      ran.fields++;
      const { entities, codes } = checkText(`entities:\n  a:\n    title: string\n    price: int\n    f: ${field}\n`);
      expect(codes.length).toBeLessThanOrEqual(DIAGNOSTICS_MAX);
      // A text without diagnostics has all its fields in the model.
      if (codes.length === 0 && entities.length === 1) expect(entities[0]?.fields.length).toBeGreaterThanOrEqual(7);
    }),
    { numRuns: 2_000, seed: 5 },
  );
});

test("a byte order mark is only accepted at the start", () => {
  expect(checkBlueprint("\ufeffproject: demo\n").diagnostics).toEqual([]);
  expect(checkBlueprint("\ufeff\ufeffproject: demo\n").diagnostics.map(({ code }) => code)).toEqual(["yaml_syntax"]);
});

test("an example with Windows line endings is the same blueprint", () => {
  for (const text of examples)
    expect(checkBlueprint(text.replaceAll("\n", "\r\n")).model).toEqual(checkBlueprint(text).model);
});

test("a text of combining marks only is not composed", { timeout }, () => {
  const text = `project: demo\ntests: [${"[1], ".repeat(150_000)}]\n`;
  expect(checkBlueprint(text).diagnostics.map(({ code }) => code)).toEqual(["blueprint_too_large"]);
});

describe("large and hostile texts end in limited time", () => {
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
    ["an enum in quotes", `project: demo\nentities:\n  a:\n    b: "enum[${fill("v, ", 900_000)}]"\n`],
    ["enums in quotes", `project: demo\nentities:\n  a:\n${fill(`    b: "enum[${fill("v, ", 600)}]"\n`, 900_000)}`],
    ["nested types", `project: demo\nentities:\n  a:\n    b: ${fill("list<", 900_000)}\n`],
    ["an object of objects", `project: demo\nentities:\n  a:\n    b: "${fill("object{a:", 900_000)}"\n`],
    ["a computed field", `project: demo\nentities:\n  a:\n    n: int\n    b: computed(${fill("(", 900_000)})\n`],
    ["a computed sum", `project: demo\nentities:\n  a:\n    n: int\n    b: computed(${fill("n + ", 900_000)}n)\n`],
    ["a pattern", `project: demo\nentities:\n  a:\n    b: { type: string, pattern: "${fill("(a*)*", 900_000)}" }\n`],
    ["a default", `project: demo\nentities:\n  a:\n    b: json = ${fill("[", 900_000)}\n`],
    ["a long default", `project: demo\nentities:\n  a:\n    b: { type: json, default: [${fill("[1], ", 300_000)}] }\n`],
    [
      "a long value to match",
      `project: demo\nentities:\n  a:\n    b: { type: text, pattern: "(a|aa)*b", default: ${fill("a", 900_000)} }\n`,
    ],
    [
      "unknown unique fields",
      `project: demo\nentities:\n  a:\n    fields: { b: int }\n    unique: [[${fill("bcd, ", 400_000)}x]]\n`,
    ],
    [
      "unique lists",
      `project: demo\nentities:\n  a:\n    fields: { b: int }\n    unique: [${fill("[b, b], ", 300_000)}[b]]\n`,
    ],
    [
      "fields",
      `project: demo\nentities:\n  a:\n${Array.from({ length: 20_000 }, (_, i) => `    f${i}: int\n`).join("")}`,
    ],
    [
      "entities",
      `project: demo\nentities:\n${Array.from({ length: 6_000 }, (_, i) => `  e${i}:\n    a: int\n`).join("")}`,
    ],
    [
      "references",
      `project: demo\nentities:\n  a:\n${Array.from({ length: 20_000 }, (_, i) => `    f${i}: ref(a)\n`).join("")}`,
    ],
    [
      "unknown references",
      `project: demo\nentities:\n${Array.from({ length: 6_000 }, (_, i) => `  entity${i}:\n    a: ref(entiti${i})\n`).join("")}`,
    ],
    [
      "checks",
      `project: demo\nentities:\n  a:\n    fields: { n: int }\n    checks:\n${Array.from({ length: 40_000 }, (_, i) => `      c${i}: n > ${i}\n`).join("")}`,
    ],
    [
      "seed rows",
      `project: demo\nentities:\n  a:\n    fields: { n: int unique }\n    seed: [${fill("{ n: 1 }, ", 400_000)}]\n`,
    ],
    [
      "names of seed rows",
      `project: demo\nentities:\n  a:\n    fields: { n: ref(a)? }\n    seed:\n${Array.from({ length: 15_000 }, (_, i) => `      r${i}: { n: r${i - 1} }\n`).join("")}`,
    ],
    ["a long name", `project: demo\nentities:\n  ${fill("a", 900_000)}:\n    b: int\n`],
    ["direction marks", `project: demo\n# ${fill("\u202e", 500_000)}\n`],
    ["aliases", `a: &a [x]\n${Array.from({ length: 8_000 }, (_, i) => `k${i}: &b${i} [*a, *a]\n`).join("")}`],
    [
      "an alias bomb",
      Array.from({ length: 30 }, (_, i) => `k${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1}, *a${i - 1}`}]\n`).join(""),
    ],
    ["a rule of ten megabytes", `project: demo\nrules:\n  a: ${"b || ".repeat(2_000_000)}b\n`],
    [
      "a tower of roles",
      `project: demo\nmodules: [roles]\nroles:\n${Array.from({ length: 2000 }, (_, i) => `  r${i}: { inherits: [${i === 0 ? "user" : `r${i - 1}`}] }\n`).join("")}`,
    ],
  ])("%s", { timeout }, (_, text) => {
    ran.texts++;
    const start = process.cpuUsage();
    const { diagnostics } = checkBlueprint(
      text.length > 2 * BLUEPRINT_LENGTH_MAX ? text : text.slice(0, BLUEPRINT_LENGTH_MAX),
    );
    expect(diagnostics.length).toBeLessThanOrEqual(DIAGNOSTICS_MAX);
    const { user, system } = process.cpuUsage(start);
    expect(user + system).toBeLessThan(15_000_000);
  });
});
