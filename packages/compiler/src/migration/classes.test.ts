// The diff classifies a change by its meaning, the planner by its tables, and both agree: for each class of a step
// above "safe" there is a change of that class, and the other way round.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ChangeClass, checkBlueprint, type Model } from "@plinth/blueprint";
import type { StepClass } from "@plinth/bundle";
import { describe, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { proposeChange } from "../propose.ts";

const folders = [path.join(import.meta.dirname, "testdata"), path.join(import.meta.dirname, "../testdata")];
const cases = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => readdirSync(path.join(folder, name)).includes("before.yaml"))
    .map((name) => [name, path.join(folder, name)] as const),
);

/**
 * A step's class > the changes that can need it: a backfill performs a rewrite, and its new column is checked. Only the
 * planner knows steps that add a wider rule or an index without blocking anybody.
 */
const calledForBy: Readonly<Partial<Record<StepClass, readonly ChangeClass[]>>> = {
  backfill: ["backfill", "rewrite"],
  data_dependent: ["data_dependent", "rewrite"],
  rewrite: ["rewrite"],
  destructive: ["destructive"],
};
/** A change's class > the steps that can perform it: a unique rule is built online, and can still find duplicates. */
const doneBy: Readonly<Partial<Record<ChangeClass, readonly StepClass[]>>> = {
  online: ["online", "data_dependent"],
  backfill: ["backfill"],
  data_dependent: ["data_dependent"],
  rewrite: ["rewrite"],
  destructive: ["destructive"],
};

const small: Readonly<Record<string, readonly [string, string]>> = {
  "a sequence": ["title: string", "title: string\nnumber: sequence(N-)"],
  "a field that is filled": ["title: string", "title: string\nname: string fill(title)"],
  "an optional field that is filled": ["title: string", "title: string\nname: string? fill(title)"],
  "a field with a default that is filled": ["title: string", "title: string\nsize: int fill(size(title)) = 0"],
  "a field that becomes required and is filled": [
    "title: string\nname: string?",
    "title: string\nname: string fill(title)",
  ],
  "a field that stays optional and is filled": [
    "title: string\nname: string?",
    "title: string\nname: string? fill(title)",
  ],
  "a slug": ["title: string", "title: string\nlink: slug(title)"],
  "a required field": ["title: string", "title: string\nprice: int"],
  "a required field with a default": ["title: string", "title: string\nprice: int = 0"],
  "a required user": ["title: string", "title: string\nby: user_ref = current_user.id"],
  "an optional field": ["title: string", "title: string\nprice: int?"],
  "a unique field": ["title: string", "title: string unique"],
  "a field that need not be unique": ["title: string unique", "title: string"],
  "an index": ["title: string", "title: string index"],
  "a field for search": ["title: string", "title: string searchable"],
  "a field that becomes required": ["title: string?", "title: string"],
  "a field that becomes optional": ["title: string", "title: string?"],
  "fewer values": ["kind: enum[a, b]", "kind: enum[a]"],
  "more values": ["kind: enum[a]", "kind: enum[a, b]"],
  "a lower limit": ["title: { type: string, max: 9 }", "title: { type: string, max: 5 }"],
  "a higher limit": ["title: { type: string, max: 5 }", "title: { type: string, max: 9 }"],
  "whole numbers with more digits": ["price: int", "price: bigint"],
  "whole numbers with digits behind the point": ["price: int", "price: decimal(12, 2)"],
  "a moment without its time": ["at: datetime", "at: date"],
  "a text that becomes a number": ["price: string", "price: int"],
  "a text that becomes a phone number": ["price: string", "price: phone"],
  "a choice that becomes several": ["kind: enum[a, b]", "kind: enum_set[a, b]"],
  "a reference": ["title: string", "title: string\nparent_id: ref(listing)?"],
  "an id that becomes a reference": ["parent_id: uuid?", "parent_id: ref(listing)?"],
  pairs: ["title: string", "title: string\nothers: refs(listing)"],
  "pairs that go": ["title: string\nothers: refs(listing)", "title: string"],
  "a reference that becomes pairs": ["title: string\nother: ref(listing)?", "title: string\nother: refs(listing)"],
  "pairs that become a reference": ["title: string\nother: refs(listing)", "title: string\nother: ref(listing)?"],
  "a computed field": ["price: int", 'price: int\ntwice: "computed(price * 2)"'],
  "a field that goes": ["title: string\nprice: int", "title: string"],
  "a field with another name": ["title: string", "heading: string was(title)"],
  "a secret": ["title: string", "title: string\ntoken: secret?"],
};

/** One of each kind of column, and of each difference in its changes. */
const types = [
  "string",
  "enum[a, b]",
  "int",
  "bigint",
  "float",
  "decimal(10, 2)",
  "money(EUR)",
  "date",
  "time",
  "datetime",
  "duration",
  "bool",
  "uuid",
  "ref(listing)",
  "json",
  "object{street: string}",
  "i18n<string>",
  "enum_set[a, b]",
  "list<string>",
  "list<enum[a, b]>",
  "list<int>",
  "list<bigint>",
  "list<decimal(9, 1)>",
  "list<date>",
  "list<json>",
  "point",
  "secret",
];

describe("the classes of changes and of steps", () => {
  test("match on many pairs", () => expect(cases.length).toBeGreaterThanOrEqual(7));

  test.each(cases)("%s", (_, folder) => agree(modelIn(folder, "before.yaml"), modelIn(folder, "blueprint.yaml")));

  test.each(Object.entries(small))("%s", (_, [before, after]) => agree(modelOf(before), modelOf(after)));

  test.each(types)("%s, changed to any other type", (type) => {
    const before = modelOf(`value: "${type}?"`);
    for (const other of types) {
      if (type !== other) agree(before, modelOf(`value: "${other}?"`), other);
    }
  });

  test.each([
    ["list<string>", "enum_set[a, b]"],
    ["enum_set[a, b]", "list<string>"],
    ["enum_set[a, b]", "enum[a, b]"],
    ["list<int>", "int"],
    ["list<int>", "json"],
  ])("%s can become %s", (type, other) => {
    const before = modelOf(`value: "${type}?"`);
    const live = { model: before, bundle: compileModel(before) };
    const after = modelOf(`value: "${other}?"`);
    expect(proposeChange({ before: live, after, setAside: [], tag: "t", author: "person" }).refused).toEqual([]);
  });
});

function agree(before: Model, after: Model, what = ""): void {
  const live = { model: before, bundle: compileModel(before) };
  const { changes, plan, refused } = proposeChange({ before: live, after, setAside: [], tag: "t", author: "person" });
  const told = new Set<string>(changes.flatMap(({ classes }) => classes));
  expect(told.has("unsupported"), what).toBe(refused.length > 0);
  if (refused.length > 0) return;
  const done = new Set<string>(plan.steps.map((step) => step.class));
  expect(without(calledForBy, done, told), `${what}: steps that no change calls for; told: ${[...told]}`).toEqual([]);
  expect(without(doneBy, told, done), `${what}: changes that no step does; done: ${[...done]}`).toEqual([]);
}

function without(
  partners: Readonly<Record<string, readonly string[]>>,
  ones: ReadonlySet<string>,
  others: ReadonlySet<string>,
): readonly string[] {
  return [...ones].filter((one) => partners[one]?.some((other) => others.has(other)) === false);
}

function modelOf(fields: string): Model {
  return checked(`project: sample
modules: [auth, users]
entities:
  listing:
    fields:
${fields.replace(/^/gm, "      ")}
`);
}

function modelIn(folder: string, file: string): Model {
  return checked(readFileSync(path.join(folder, file), "utf8"));
}

function checked(text: string): Model {
  const { model, diagnostics } = checkBlueprint(text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (model === null) throw new Error("no model");
  return model;
}
