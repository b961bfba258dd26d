// The grammar's tables match the readers: each key of a table is accepted at its position, each key of a reader is in a
// table, and the JSON Schema, which is made from the tables, accepts every valid value.
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkBlueprint } from "../check-blueprint.ts";
import { diagnosticCatalogue } from "../text/diagnostic.ts";
import { step } from "./background-sections.ts";
import { fieldKeys } from "./field-types.ts";
import type { GrammarPlace, Json, JsonMap } from "./grammar-place.ts";
import { grammarPlaces } from "./grammar-places.ts";
import { blueprintJsonSchema } from "./json-schema.ts";
import { sections, shapes } from "./sections.ts";
import type { KeyShape, Shape } from "./shape.ts";

const ran = { values: 0, accepted: 0 };
afterAll(() => process.stdout.write(`grammar: ${ran.values} values, ${ran.accepted} of them accepted\n`));

/** Every map with fixed keys, by its path; a map in several positions appears once. */
function mapsOf(path: string, shape: Shape, seen: Set<Shape>): [string, Readonly<Record<string, KeyShape>>][] {
  if (seen.has(shape)) return [];
  seen.add(shape);
  switch (shape.kind) {
    case "map":
      return [
        [path, shape.keys],
        ...Object.entries(shape.keys).flatMap(([name, key]) => mapsOf(`${path} > ${name}`, key.value, seen)),
      ];
    case "names":
      return mapsOf(`${path} > <${shape.key}>`, shape.value, seen);
    case "list":
      return mapsOf(`${path} > [ ]`, shape.of, seen);
    case "any_of":
      return shape.of.flatMap((one) => mapsOf(path, one, seen));
    default:
      return [];
  }
}

const roots: Readonly<Record<string, Shape>> = {
  field: { kind: "map", keys: fieldKeys },
  ...shapes,
  step,
  blueprint: { kind: "map", keys: sections },
};
const seen = new Set<Shape>();
const tables = new Map(
  Object.entries(roots)
    .flatMap(([name, shape]) => mapsOf(name, shape, seen))
    // A step as a map of one has the keys of a step.
    .filter(([path]) => !path.startsWith("step > <action>"))
    .map(([path, keys]) => [path.replace(/^blueprint > /, ""), keys]),
);
const places = Object.entries(grammarPlaces);
const errorsOf = (blueprint: JsonMap): readonly string[] =>
  checkBlueprint(JSON.stringify(blueprint))
    .diagnostics.filter((one) => one.severity === "error")
    .map((one) => `${one.code}: ${one.message}`);

const validate: ValidateFunction = new Ajv({ strict: false, allowUnionTypes: true }).compile(blueprintJsonSchema());
const takes = (blueprint: unknown): boolean => validate(blueprint);
const why = (): unknown => validate.errors?.slice(0, 3).map((one) => `${one.instancePath} ${one.message}`);

test("every table has a position, and every position a table", () => {
  expect(places.map(([path]) => path).sort()).toEqual([...tables.keys()].sort());
});

describe.each(places)("%s", (path, { put, uses }: GrammarPlace) => {
  test("uses each key of its table, and no other", () => {
    expect(Object.keys(uses).sort()).toEqual(Object.keys(tables.get(path) ?? {}).sort());
  });

  test.each(Object.entries(uses))("%s is accepted", (_, use) => {
    expect(errorsOf(put(use)).filter((one) => !allowed(one))).toEqual([]);
    expect(takes(put(use)) ? [] : why()).toEqual([]);
  });

  test("refuses an unknown key, and its reader knows the keys of the table", () => {
    const [first = {}] = Object.values(uses);
    const blueprint = put({ ...first, zzqqxx: "a" });
    const hint = checkBlueprint(JSON.stringify(blueprint)).diagnostics.find((one) => one.code === "unknown_key")?.hint;
    const [, named = "", more = "0"] = /^Known names: (.*?)(?: and (\d+) more)?\.$/.exec(hint ?? "") ?? [];
    const keys = Object.keys(tables.get(path) ?? {});
    const known = named.split(", ");
    expect(keys).toEqual(expect.arrayContaining(known));
    expect(known.length + Number(more)).toBe(keys.length);
    expect(takes(blueprint)).toBe(false);
  });
});

/** Values that are refused for other reasons than their form. */
function allowed(problem: string): boolean {
  return /^not_supported_yet|^restore_without_soft_delete|^unknown_transition|has no transition|is deleted for good/.test(
    problem,
  );
}

const kinds: readonly Json[] = [
  "abc",
  "1",
  7,
  1.5,
  true,
  null,
  [],
  ["abc"],
  ["title"],
  [["title"]],
  [1],
  {},
  { abc: 1 },
  { abc: "int" },
  { abc: {} },
  { abc: null },
  { price: 2 },
  { price: null },
];

describe("the JSON Schema accepts a valid value", () => {
  test.each(places)("%s", (_, { put, uses }) => {
    for (const [key, use] of Object.entries(uses)) {
      for (const value of kinds) {
        const blueprint = put({ ...use, [key]: value });
        ran.values++;
        if (errorsOf(blueprint).length > 0) continue;
        ran.accepted++;
        expect({ key, value, taken: takes(blueprint), why: why() ?? null }).toMatchObject({ taken: true });
      }
    }
  });
});

describe("the JSON Schema accepts valid texts", () => {
  const examples = ["market-square", "parcel-desk"].map((name): [string, string] => [
    name,
    readFileSync(new URL(`../../../../docs/examples/${name}.yaml`, import.meta.url), "utf8"),
  ]);
  const guide = readFileSync(new URL("../../../../docs/blueprint/guide.md", import.meta.url), "utf8");
  const inGuide = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map((block, index): [string, string] => [
    `guide ${index + 1}`,
    block[1] ?? "",
  ]);
  const rights = Object.entries(diagnosticCatalogue).map(([code, kind]): [string, string] => [code, kind.right]);
  test.each([...examples, ...inGuide.filter(([, text]) => text.startsWith("project:")), ...rights])("%s", (_, text) => {
    expect(takes(parse(text)) ? [] : why()).toEqual([]);
  });
});

test.each(["unknown_key", "wrong_kind", "missing_key"] as const)("the JSON Schema refuses texts with %s", (code) => {
  expect(takes(parse(diagnosticCatalogue[code].wrong))).toBe(false);
});
