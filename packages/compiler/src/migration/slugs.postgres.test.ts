// A new slug for existing records: each gets one made from its field, like new records.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { proposeChange } from "../propose.ts";
import { apply, inspect, type Names } from "./testing/sample-tables.ts";
import { openWalker, type Walker } from "./testing/walk.ts";

let walker: Walker;
beforeAll(async () => {
  walker = await openWalker();
});
afterAll(() => walker?.close());

function modelOf(...fields: readonly string[]): Model {
  const lines = fields.map((field) => `      ${field}\n`).join("");
  const text = `project: slugs\nentities:\n  survey:\n    fields:\n${lines}    permissions:\n      admin: { all: true }\n`;
  const { model } = checkBlueprint(text);
  if (model === null) throw new Error(text);
  return model;
}

async function started(model: Model, names: readonly (string | null)[]): Promise<Names> {
  const tables = await walker.make(compileModel(model).tables);
  for (const [index, name] of names.entries())
    await query(tables, "insert into $.surveys (id, name) values ($1, $2)", [idOf(index), name]);
  return tables;
}

const idOf = (index: number): string => `00000000-0000-7000-8000-${String(index).padStart(12, "0")}`;

async function query(names: Names, sql: string, values: unknown[] = []): Promise<readonly unknown[]> {
  const text = sql.replace(/\$\./g, () => `${names.schema}.`);
  return (await walker.client.query({ text, values, rowMode: "array" })).rows;
}

function change(before: Model, after: Model) {
  const live = { model: before, bundle: compileModel(before) };
  const { plan, changes, refused } = proposeChange({ before: live, after, setAside: [], tag: "t1", author: "person" });
  expect(refused).toEqual([]);
  return { plan, summary: changes[0]?.summary };
}

test("is made in the same way as by the service", async () => {
  const examples = {
    "Hello, World!": "hello-world",
    "  Straße -- Ærø & Łódź ": "strasse-aero-lodz",
    "It's Ünïcode’s İstanbul": "its-unicodes-istanbul",
    "ﬁrst ½": "first-1-2",
    日本: "00000003",
    [`${"a".repeat(79)} b`]: "a".repeat(79),
  };
  const before = modelOf("name: string");
  const after = modelOf("name: string", "link: slug(name)");
  const names = await started(
    before,
    Object.keys(examples)
      .filter((name) => name !== "日本")
      .toSpliced(3, 0, "日本"),
  );
  const { plan, summary } = change(before, after);
  await apply(walker.client, plan, names);
  const rows = (await query(names, "select name, link from $.surveys")) as [string, string][];
  expect(Object.fromEntries(rows)).toEqual(examples);
  expect(summary).toContain("Existing records get a value made from `name`");
  const fresh = await walker.make(compileModel(after).tables);
  expect(await inspect(walker.client, names)).toEqual(await inspect(walker.client, fresh));
});

test("keeps existing values if the field becomes required", async () => {
  const before = modelOf("name: string", "link: slug(name)?");
  const after = modelOf("name: string", "link: slug(name)");
  const names = await started(before, ["One and Two", "Other"]);
  await query(names, "update $.surveys set link = 'kept' where name = 'Other'");
  const { plan, summary } = change(before, after);
  await apply(walker.client, plan, names);
  expect(await query(names, "select name, link from $.surveys order by name")).toEqual([
    ["One and Two", "one-and-two"],
    ["Other", "kept"],
  ]);
  expect(summary).toContain("get one made from `name`");
});

test("equal slugs, and records without a text for one, are named before anything runs", async () => {
  const before = modelOf("name: string?");
  const alike = await started(before, ["A b", "a B"]);
  const unique = change(before, modelOf("name: string?", "link: slug(name) unique")).plan;
  await expect(apply(walker.client, unique, alike)).rejects.toThrow(/1 .*the same link/);
  const empty = await started(before, ["A b", null]);
  const needed = change(before, modelOf("name: string?", "link: slug(name)")).plan;
  await expect(apply(walker.client, needed, empty)).rejects.toThrow(/1 .*no value for link/);
});
