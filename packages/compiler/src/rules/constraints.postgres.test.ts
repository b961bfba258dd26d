// Conditions over one row as constraints of a table, on a real Postgres: each can be created, and refuses the rows for
// which the evaluator returns false, also with floats, times and durations.
import { checkBlueprint } from "@plinth/blueprint";
import { evaluate, type Value } from "@plinth/expression";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createModelWalk, id, type ModelWalk, modelOf } from "../migration/testing/model-walk.ts";
import { openWalker, type Walker } from "../migration/testing/walk.ts";

let walker: Walker;
let models: ModelWalk;
beforeAll(async () => {
  walker = await openWalker();
  await walker.client.query("create schema extensions; create extension btree_gist with schema extensions");
  models = createModelWalk(walker);
});
afterAll(() => walker?.close());

const fields = [
  "begins: datetime?",
  "ends: datetime?",
  "pause: duration?",
  "rate: float?",
  "seats: int?",
  "price: decimal(20, 2)?",
];
const names = ["begins", "ends", "pause", "rate", "seats", "price"];
const rows: readonly (readonly Value[])[] = [
  [null, null, null, null, null, null],
  ["2026-01-31T09:00:00Z", "2026-01-31T17:00:00Z", "PT1H", 0.5, 3, "1.50"],
  ["2026-01-31T09:00:00Z", "2026-02-02T09:00:00Z", "P3D", 2, 0, "-1"],
  ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "P999999D", 1e308, -2147483648, "99999999999999999.99"],
  ["2026-01-31T09:00:00Z", null, "PT0S", 0, 2147483647, null],
];

test.each([
  "ends - begins <= duration('PT8H')",
  "begins + pause <= ends",
  "ends - pause > begins + pause",
  "rate * 2.0 > 1.0",
  "rate / seats < 1.0",
  "rate > price * price * price",
  "(seats > 2 ? rate : seats) * rate > 1.0",
  "seats * seats > 0",
  "price / seats < 2",
])("%s", async (condition) => {
  const written = fields.map((one) => one.replace(/: (.*)$/, ': "$1"'));
  const model = modelOf({ visit: { fields: written, options: [`checks: { fits: "${condition}" }`] } });
  const counted = `exclude: { once: { same: [seats], overlap: [begins, ends], where: "${condition}" } }`;
  await models.started(modelOf({ visit: { fields: written, options: [counted] } }), "");
  const check = model.entities[0]?.checks[0]?.condition;
  if (check === undefined) throw new Error("the check is there");
  const at = await models.started(model, "");
  for (const [index, row] of rows.entries()) {
    const values = Object.fromEntries(names.map((name, place) => [name, row[place] ?? null]));
    const wanted =
      evaluate(check, { rows: { record: { values } }, user: { id: null, email: null, roles: [] } }) !== false;
    const sql = `insert into $.visits (id, ${names.join(", ")}) values (${id(index)}, ${row.map((one) => (one === null ? "null" : `'${one}'`)).join(", ")})`;
    const stands = await models.run(at, sql).then(
      () => true,
      (error: Error) => !error.message.includes("violates check constraint") && Promise.reject(error),
    );
    expect([row, stands]).toEqual([row, wanted]);
  }
});

test("a check that calculates with times can be added to existing records", async () => {
  const plain = ["begins: datetime", "ends: datetime", "seats: int"];
  const before = modelOf({ visit: { fields: plain } });
  const options = [
    `checks: { short: "ends - begins <= duration('PT8H')" }`,
    `exclude: { once: { same: [seats], overlap: [begins, ends], where: "ends - begins > duration('PT1H')" } }`,
  ];
  const row = `(${id(1)}, '2026-01-31T09:00:00Z', '2026-01-31T12:00:00Z', 1)`;
  const at = await models.started(before, `insert into $.visits (id, begins, ends, seats) values ${row}`);
  await models.go(at, before, modelOf({ visit: { fields: plain, options } }), {
    meanwhile: "update $.visits set seats = 2",
  });
  const insert = (to: string): Promise<unknown> =>
    models.run(
      at,
      `insert into $.visits (id, begins, ends, seats) values (gen_random_uuid(), '2026-01-31T11:00:00Z', '${to}', 2)`,
    );
  await insert("2026-01-31T11:30:00Z");
  await expect(insert("2026-01-31T13:30:00Z")).rejects.toMatchObject({ code: "23P01" });
  await expect(insert("2026-02-01T13:30:00Z")).rejects.toMatchObject({ code: "23514" });
});

test("a check that would grow with each step is refused", () => {
  const nested = (depth: number): string => (depth === 0 ? "rate" : `(${nested(depth - 1)} + rate)`);
  const text = (depth: number): string =>
    `project: x\nmodules: [auth]\nentities:\n  visit:\n    checks: { fits: "${nested(depth)} > 1.0" }\n    fields: { rate: float }\n    permissions: { admin: { all: true } }\n`;
  expect(checkBlueprint(text(4)).diagnostics).toEqual([]);
  expect(checkBlueprint(text(30)).diagnostics.map(({ code }) => code)).toEqual(["expression_too_large"]);
});
