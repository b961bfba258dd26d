// Short and long forms mean the same, and formatting doesn't change the meaning, for every type, modifier and option.
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { checkText } from "../check/testing/sample-entities.ts";
import { longForm, type SampleField, sampleField, shortForm } from "../testing/sample-fields.ts";
import { formatBlueprint } from "./format.ts";

const numRuns = 1_000;
/** For a machine that is busy with other work. */
const timeout = 120_000;
const ran = { forms: 0, layouts: 0 };
afterAll(() => process.stdout.write(`short and long forms: ${ran.forms} fields; layouts: ${ran.layouts} entities\n`));

function format(text: string): string {
  const result = formatBlueprint(text);
  if ("diagnostics" in result) throw new Error(JSON.stringify(result.diagnostics));
  return result.text;
}

const options = [
  "was: offer",
  "plural: all_listings",
  "unique: [[title, price]]",
  "index: [price]",
  "checks: { paid: price > 0, named: 'title != \"#\"' }",
  "soft_delete: true",
  "retention: 90d",
  "audit: all",
  "label: Listing",
  "help: 'What is sold: things.'",
  "seed: { first: { title: One, price: 1 }, second: { title: 'on', price: 2 } }",
] as const;

function blueprint(fields: readonly string[], chosen: readonly string[]): string {
  const lines = ["title: string", "price: int", ...fields.map((field, index) => `f${index}: ${field}`)];
  return [
    "entities:",
    "  seller:",
    "    name: string",
    "  listing:",
    ...chosen.map((option) => `    ${option}`),
    "    fields:",
    ...lines.map((line) => `      ${line}`),
    "",
  ].join("\n");
}

/** The meaning of a text: entities and diagnostics, without positions. */
function meaning(text: string): unknown {
  const { entities, codes } = checkText(text);
  return { entities, codes: [...codes].sort() };
}

test("property: both forms of a field mean the same field", { timeout }, () => {
  fc.assert(
    fc.property(sampleField, fc.boolean(), (field, beside) => {
      ran.forms++;
      const short = checkText(blueprint([shortForm(field)], []));
      expect(short.found).toEqual([]);
      expect(checkText(blueprint([longForm(field, beside)], [])).entities).toEqual(short.entities);
    }),
    { numRuns, seed: 3 },
  );
});

/** No two fields have the same former name or the same back relation. */
const apart = (fields: readonly SampleField[]): readonly SampleField[] =>
  fields.map((field, index) => ({
    ...field,
    modifiers: field.modifiers.map((one) =>
      one.name === "was" || one.name === "as" ? { ...one, argument: `${one.argument}${index}` } : one,
    ),
  }));

test("property: formatting keeps the meaning, and a second pass changes nothing", { timeout }, () => {
  const written = fc.tuple(
    fc.array(sampleField, { minLength: 1, maxLength: 5 }).map(apart),
    fc.infiniteStream(fc.constantFrom("short", "beside", "within")),
    fc.subarray([...options], { maxLength: 5 }),
  );
  fc.assert(
    fc.property(written, ([fields, forms, chosen]) => {
      ran.layouts++;
      const texts = fields.map((field) => {
        const form = forms.next().value;
        return form === "short" ? shortForm(field) : longForm(field, form === "beside");
      });
      const text = blueprint(texts, chosen);
      const once = format(text);
      expect(meaning(once)).toEqual(meaning(text));
      expect(format(once)).toBe(once);
      // Every spelling of a field gets the same canonical form.
      expect(once).toBe(format(blueprint(fields.map(shortForm), chosen)));
    }),
    { numRuns: 300, seed: 3 },
  );
});

describe("the canonical notation", () => {
  const laidOut = (field: string): string => {
    const line = format(blueprint([field], []))
      .split("\n")
      .find((one) => one.trim().startsWith("f0:"));
    return line?.trim().slice(4) ?? "";
  };
  test.each([
    ["{ type: string, min: 1, max: 80 }", "string(1, 80)"],
    ["{ type: string, max: 80 }", "string(, 80)"],
    ["{ type: string, pattern: '^a, b$' }", 'string(, , "^a, b$")'],
    ["{ type: enum, values: [a, b], default: a }", "enum[a, b] = a"],
    ["{ type: list, of: string, optional: true }", "list<string>?"],
    [
      "{ type: object, fields: { a: int, b: { type: string, optional: true, max: 3 } } }",
      '"object{ a: int, b: string(, 3)? }"',
    ],
    ["'string  pii   unique(price) unique index'", "string unique(price) unique index pii"],
    ["'decimal(10,2)=1'", "decimal(10, 2) = 1"],
    ["{ type: json, default: { a: 1 } }", '"json = {a: 1}"'],
    ["{ type: string?, was: old, deprecated: Gone. }", 'string? was(old) deprecated("Gone.")'],
    ["{ type: ref(seller), on_delete: cascade, as: wares }", "ref(seller) on_delete(cascade) as(wares)"],
    ["'computed( price  *  2 )'", "computed(price  *  2)"],
  ])("%s", (field, canonical) => expect(laidOut(field)).toBe(canonical));

  test.each([
    ["{ type: int, min: 1 }"],
    ["{ type: string, label: It }"],
    ["{ type: text, help: It }"],
    ["{ type: object, fields: { a: { type: int, min: 1 } } }"],
    ["{ type: string, default: null }"],
    ["{ type: strin g }"],
  ])("%s has no short form", (field) => expect(laidOut(field)).toBe(""));
});
