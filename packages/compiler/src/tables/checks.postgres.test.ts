// Checks as constraints of a real Postgres: every valid check can be created, and refuses the same rows as the
// evaluator.
import { checkBlueprint } from "@plinth/blueprint";
import { evaluate, type Value } from "@plinth/expression";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileModel } from "../compile.ts";
import { apply, firstPlan, provision } from "../testing/sample-schema.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const row: Readonly<Record<string, Value>> = {
  starts: "2026-01-31T10:00:00Z",
  ends: "2026-01-31T12:00:00Z",
  day: "2026-01-31",
  due: "2026-02-03",
  amount: 3,
  ratio: 2.25,
  address: "10.0.0.1",
};

const conditions: readonly string[] = [
  "ends > starts + duration('1h')",
  "ends - starts > duration('3h')",
  "ends + duration('1h') - starts + duration('1h') < duration('5h')",
  "amount + 1.5 > ratio",
  "ratio * 2 / amount > 5",
  "due > day + 3",
  "due - day == amount && day + amount == due",
  "day + duration('12h') < starts",
  "year(starts) > 2000 && weekday(day) == 6",
  "date(starts) < day",
  "round(ratio, 1) == 2.3",
  "in_cidr(address, '10.0.0.0/8')",
  "in_cidr(address, '2001:db8::/32')",
];

test.each(conditions.map((text, index) => [text, `checks_${index}`] as const))("%s", async (text, schema) => {
  const { model, diagnostics } = checkBlueprint(
    "project: checks\nentities:\n  bill:\n    fields:\n      starts: datetime?\n      ends: datetime?\n      day: date?\n      due: date?\n" +
      `      amount: int?\n      ratio: float?\n      address: string?\n    checks:\n      it: "${text}"\n    permissions:\n      admin: { all: true }\n`,
  );
  if (model === null) throw new Error(JSON.stringify(diagnostics));
  await apply(client, firstPlan(compileModel(model).tables), await provision(client, schema));
  const [check] = model.entities[0]?.checks ?? [];
  if (check === undefined) throw new Error("a check was declared");
  const user = { id: null, email: null, roles: [] };
  const expected = evaluate(check.condition, { rows: { record: { values: row } }, user }) !== false;
  const values = Object.values(row).map((one) => client.escapeLiteral(String(one)));
  const insert = `insert into ${schema}.bills (id, ${Object.keys(row).join()}) values (gen_random_uuid(), ${values.join()})`;
  const taken = await client.query(insert).then(
    () => true,
    (error: Error) => (/violates check/.test(error.message) ? false : Promise.reject(error)),
  );
  expect(taken).toBe(expected);
});
