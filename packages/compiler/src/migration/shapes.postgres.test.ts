// JSON that becomes an object with declared members, or whose members change: existing values are checked before
// anything runs.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { proposeChange } from "../propose.ts";
import { apply, type Names } from "./testing/sample-tables.ts";
import { openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
beforeAll(async () => {
  walker = await openWalker();
});
afterAll(() => walker?.close());

function modelOf(type: string): Model {
  const text = `project: shapes\nentities:\n  team:\n    fields:\n      billing: '${type}'\n    permissions:\n      admin: { all: true }\n`;
  const { model, diagnostics } = checkBlueprint(text);
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  return model;
}

async function started(before: Model, value: unknown): Promise<Names> {
  const names = await walker.make(compileModel(before).tables);
  await insert(names, value);
  return names;
}

async function insert(names: Names, value: unknown): Promise<void> {
  const text = `insert into ${names.schema}.teams (id, billing) values (gen_random_uuid(), $1)`;
  await walker.client.query(text, [JSON.stringify(value)]);
}

function plan(before: Model, after: Model) {
  const live = { model: before, bundle: compileModel(before) };
  const proposed = proposeChange({ before: live, after, setAside: [], tag: "t1", author: "person" });
  expect(proposed.refused).toEqual([]);
  return proposed.plan;
}

const billing =
  "object{plan: enum[free, pro], mail: email?, seats: int?, tags: list<string>?, at: object{zip: string}?}";

test.each([
  { plan: "free" },
  { plan: "pro", mail: "a@example.com", seats: 3, tags: ["a"], at: { zip: "1" } },
  { plan: "pro", mail: null, tags: [] },
])("%j fits", async (value) => {
  const [before, after] = [modelOf("json"), modelOf(billing)];
  await apply(walker.client, plan(before, after), await started(before, value));
});

test.each([
  "free",
  [["free"]],
  {},
  { plan: null },
  { plan: "scale" },
  { plan: 1 },
  { plan: "free", more: 1 },
  { plan: "free", mail: "nobody" },
  { plan: "free", seats: "3" },
  { plan: "free", seats: 1.5 },
  { plan: "free", tags: "a" },
  { plan: "free", tags: ["a", 1] },
  { plan: "free", at: {} },
])("%j is counted before anything runs", async (value) => {
  const [before, after] = [modelOf("json"), modelOf(billing)];
  const names = await started(before, value);
  await expect(apply(walker.client, plan(before, after), names)).rejects.toThrow(
    /1 .*billing that doesn't have the declared form/,
  );
});

test("values that the old release writes stop the switch", async () => {
  const [before, after] = [modelOf("json"), modelOf(billing)];
  const names = await started(before, { plan: "free" });
  let written = false;
  const meanwhile = async (): Promise<void> => {
    if (!written) await insert(names, { other: 1 });
    written = true;
  };
  const stopped = apply(walker.client, plan(before, after), names, { before: meanwhile, after: async () => {} });
  await expect(stopped).rejects.toThrow("was written during the deployment");
});

test("a missing required member is found, and a new optional member needs no check", async () => {
  const before = modelOf("object{plan: string}");
  const names = await started(before, { plan: "free" });
  const needed = plan(before, modelOf("object{plan: string, mail: string}"));
  await expect(apply(walker.client, needed, names)).rejects.toThrow(/1 .*billing/);
  expect(plan(before, modelOf("object{plan: string, mail: string?}")).steps).toEqual([]);
});

test("translations are checked one by one", async () => {
  const [before, after] = [modelOf("json"), modelOf("i18n<string>")];
  await apply(walker.client, plan(before, after), await started(before, { en: "a", de: "b" }));
  for (const value of [{ en: 1 }, ["a"], { "not a language": "a" }]) {
    const names = await started(before, value);
    await expect(apply(walker.client, plan(before, after), names)).rejects.toThrow(/1 .*billing/);
  }
});
