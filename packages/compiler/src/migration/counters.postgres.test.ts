// The numbers of a sequence continue, whatever the names of its entity and field, and whether or not it was set aside.
import { checkBlueprint, type Model } from "@plinth/blueprint";
import type { SetAside } from "@plinth/bundle";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { proposeChange } from "../propose.ts";
import { apply, makeRoles, makeSchema, type Names } from "./testing/sample-tables.ts";
import { asideOf } from "./testing/walk.ts";

let database: TestDatabase;
let client: pg.Client;
let roles: Omit<Names, "schema">;
let schemas = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  roles = await makeRoles(client, Math.random().toString(36).slice(2, 8));
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const invoices = "invoice: { fields: { number: sequence(INV-), code: sequence(C-), note: text? } }";
const orders = "order: { fields: { number: sequence(O-) } }";

type Counters = Readonly<Record<string, string>>;

/** `entity.field` > the last number, as the bundle of the last text names its counters. */
const stands = { "invoice.number": "17", "invoice.code": "4", "order.number": "2" };

/** The former names. A text can't say that two names were swapped, but a way back to an earlier version can. */
type Was = Readonly<Record<string, string>>;

test.each<[string, readonly string[], Was, Counters]>([
  [
    "a field and an entity with another name",
    ["bill: { fields: { nr: sequence(INV-), code: sequence(C-), note: text? } }", orders],
    { bill: "invoice", "bill.nr": "number" },
    { "bill.nr": "17", "bill.code": "4", "order.number": "2" },
  ],
  [
    "two fields that change places",
    [invoices, orders],
    { "invoice.number": "code", "invoice.code": "number" },
    { "invoice.number": "4", "invoice.code": "17", "order.number": "2" },
  ],
  [
    "two entities that change places",
    [invoices.replace("invoice", "order"), orders.replace("order", "invoice")],
    { order: "invoice", invoice: "order" },
    { "order.number": "17", "order.code": "4", "invoice.number": "2" },
  ],
])("%s: there and home again", async (_, after, was, wanted) => {
  const old = modelOf([invoices, orders]);
  const next = renamed(modelOf(after), was);
  const names = await live(old);
  const there = await go(names, old, next, [], "t1");
  expect(await countersOf(names, next)).toEqual(wanted);
  await go(names, renamed(next, {}), renamed(old, homeOf(was)), asideOf(there), "t2");
  expect(await countersOf(names, old)).toEqual(stands);
});

test("all counters are set aside, and restored under their names", async () => {
  const [old, next] = [modelOf([invoices, orders]), modelOf(["note: { fields: { title: string } }"])];
  const names = await live(old);
  const there = await go(names, old, next, [], "t1");
  await go(names, next, old, asideOf(there), "t2");
  expect(await countersOf(names, old)).toEqual(stands);
});

test("counters that are set aside belong to their entity", async () => {
  const old = modelOf([invoices, orders]);
  const without = modelOf(["invoice: { fields: { number: sequence(INV-), note: text? } }", orders]);
  const moved = modelOf(["bill: { was: invoice, fields: { number: sequence(INV-), note: text? } }", orders]);
  const back = modelOf([
    "bill: { was: invoice, fields: { number: sequence(INV-), code: sequence(C-), note: text? } }",
    orders,
  ]);
  const names = await live(old);
  const one = await go(names, old, without, [], "t1");
  const two = await go(names, without, moved, asideOf(one), "t2");
  await go(names, moved, back, asideOf(two), "t3");
  expect(await countersOf(names, back)).toEqual({ "bill.number": "17", "bill.code": "4", "order.number": "2" });
});

test("a new counter with the same name starts from the beginning", async () => {
  const old = modelOf([invoices, orders]);
  const without = modelOf(["invoice: { fields: { number: sequence(INV-), note: text? } }", orders]);
  const names = await live(old);
  await go(names, old, without, [], "t1");
  // The time of the set-aside data is over.
  await go(names, without, old, [], "t2");
  expect(await countersOf(names, old)).toEqual({ ...stands, "invoice.code": null });
});

async function live(model: Model): Promise<Names> {
  const names = await makeSchema(client, roles, `c${++schemas}`);
  const { plan } = proposeChange({ before: null, after: model, setAside: [], tag: "t0", author: "person" });
  await apply(client, plan, names);
  for (const [name, value] of Object.entries({ "invoices.number": 17, "invoices.code": 4, "orders.number": 2 }))
    await client.query(`insert into ${names.schema}.sequences values ($1, $2)`, [name, value]);
  return names;
}

async function go(names: Names, before: Model, after: Model, setAside: readonly SetAside[], tag: string) {
  const live = { model: before, bundle: compileModel(before) };
  const { plan, refused } = proposeChange({ before: live, after, setAside, tag, author: "person" });
  expect(refused).toEqual([]);
  await apply(client, plan, names);
  return plan.steps;
}

async function countersOf(names: Names, model: Model): Promise<Record<string, string | null>> {
  const { rows } = await client.query<{ name: string; value: string }>(`select * from ${names.schema}.sequences`);
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  return Object.fromEntries(
    compileModel(model).entities.flatMap((entity) =>
      entity.fields.flatMap(({ name, sequence }) =>
        sequence === null ? [] : [[`${entity.name}.${name}`, values.get(sequence.counter) ?? null]],
      ),
    ),
  );
}

function modelOf(entities: readonly string[]): Model {
  const text = `project: sample\nmodules: [auth, users]\nentities:\n${entities.map((one) => `  ${one}\n`).join("")}`;
  const { model, diagnostics } = checkBlueprint(text);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  if (model === null) throw new Error("no model");
  return model;
}

function renamed(model: Model, was: Was): Model {
  return {
    ...model,
    entities: model.entities.map((entity) => ({
      ...entity,
      was: was[entity.name] ?? null,
      fields: entity.fields.map((field) => ({ ...field, was: was[`${entity.name}.${field.name}`] ?? null })),
    })),
  };
}

function homeOf(was: Was): Was {
  return Object.fromEntries(
    Object.entries(was).map(([now, before]) => {
      const [entity = "", field] = now.split(".");
      return field === undefined ? [before, entity] : [`${was[entity] ?? entity}.${before}`, field];
    }),
  );
}
