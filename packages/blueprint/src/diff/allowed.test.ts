// A witness is a record that can exist: within the limits of its fields and the checks of its entity.
import { expect, test } from "vitest";
import { checkBlueprint } from "../check-blueprint.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";

function modelOf(fields: readonly string[], rule: string, options: readonly string[] = []): Model {
  const lines = [
    ...["project: demo", "modules: [auth, users, organizations]", "entities:", "  listing:", ...options, "    fields:"],
    ...fields.map((field) => `      ${field}`),
    ...["    permissions:", "      user:", `        read: ${rule}`, `        update: ${rule}`],
  ];
  const { model, diagnostics } = checkBlueprint(`${lines.join("\n")}\n`);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

const witnesses = (before: Model, after: Model) =>
  diffModels(before, after).flatMap(({ witness }) => (witness === undefined ? [] : [witness]));

test.each<[string, string[], string, string, string[]]>([
  ["min", ["price: { type: int, min: 1 }"], "price > 5", "price > 5 || price < 1", []],
  ["max", ["price: { type: int, max: 9 }"], "price < 5", "price < 5 || price > 9", []],
  ["both", ['price: { type: "decimal(8, 2)", min: 1, max: 9 }'], "price < 5", "price < 5 || price > 9.00", []],
  ["an optional field", ["price: { type: int, optional: true, min: 1 }"], "price > 5", "price > 5 || price < 1", []],
  ["percent", ["share: percent"], "share < 5", "share < 5 || share > 100", []],
  [
    "a check across fields",
    ["low: int", "high: int"],
    "low > 5",
    "low > 5 || low > high",
    ["    checks:", "      in_order: low <= high"],
  ],
])("nobody is let in where no record can be so: %s", (_, fields, was, is, options) => {
  expect(witnesses(modelOf(fields, was, options), modelOf(fields, is, options))).toEqual([]);
});

test("the record of a witness respects its limits", () => {
  const fields = ["price: { type: int, min: 10, max: 20 }"];
  const found = witnesses(modelOf(fields, "price == 15"), modelOf(fields, "price != 12"));
  expect(found.length).toBeGreaterThan(0);
  for (const { record, decided } of found) {
    expect(decided).toBe(true);
    for (const value of Object.values(record ?? {})) {
      expect(value).toBeGreaterThanOrEqual(10);
      expect(value).toBeLessThanOrEqual(20);
    }
  }
});

test.each([
  ["a length", "code: { type: string, min: 3 }", "code == 'abc'", "code == 'abc' || size(code) < 3"],
  ["a pattern", "code: { type: string, pattern: '^[a-z]+$' }", "code == 'a'", "code == 'a' || code == 'A1'"],
])("an undecided %s counts as looser, without an impossible example", (_, field, was, is) => {
  for (const { decided, record } of witnesses(modelOf([field], was), modelOf([field], is)))
    expect([decided, record]).toEqual([false, null]);
});

test("a check also holds for records with an empty field", () => {
  const options = ["    checks:", "      in_order: low <= high"];
  const fields = ["low: int?", "high: int?"];
  const found = witnesses(modelOf(fields, "low > 5", options), modelOf(fields, "low > 5 || has(low)", options));
  expect(found.map(({ decided }) => decided)).toContain(true);
});

test("without org_scoped, reading and writing are both reported", () => {
  const permissions = "user: { read: true, create: true, update: true }";
  const scoped = (options: string): Model => {
    const text = `project: demo\nmodules: [auth, users, organizations]\nentities:\n  note:\n${options}    fields: { title: string }\n    permissions: { ${permissions} }\n`;
    const { model, diagnostics } = checkBlueprint(text);
    if (model === null) throw new Error(JSON.stringify(diagnostics));
    return model;
  };
  const [change] = diffModels(scoped("    org_scoped: true\n"), scoped("")).filter(
    ({ path }) => path === "note.org_scoped",
  );
  expect(change?.classes).toContain("loosens_access");
  expect(change?.witness?.summary).toMatch(/can now read/);
  expect(change?.witness?.summary).toContain("The same is true for `create` and `update`.");
});
