import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createRawQuery } from "./prepared-statements.ts";

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterEach(() => client.end());
afterAll(() => database.drop());

const onServer = async (): Promise<readonly string[]> =>
  (
    await client.query("SELECT statement FROM pg_prepared_statements WHERE name LIKE 'k%' ORDER BY prepare_time")
  ).rows.map((row) => row.statement);

test("a connection keeps its most recently used texts, within its limit", async () => {
  const query = createRawQuery(2);
  const texts = [1, 2, 3].map((n) => `SELECT $1::text, ${n}`);
  for (const text of [...texts.slice(0, 2), texts[0] as string, texts[2] as string]) {
    expect(await query(client, text, ["x"])).toEqual({ rows: [["x", text.at(-1)]], rowCount: 1 });
  }
  expect(await onServer()).toEqual([texts[0], texts[2]]);
  expect((await query(client, texts[1] as string, [null])).rows).toEqual([[null, "2"]]);
  expect(await onServer()).toEqual([texts[2], texts[1]]);
});

test("a text whose result has changed fails once, and is parsed again", async () => {
  const query = createRawQuery(5);
  await client.query("CREATE TABLE moved (n integer)");
  await client.query("INSERT INTO moved VALUES (7)");
  const text = "SELECT n FROM moved";
  expect((await query(client, text, [])).rows).toEqual([["7"]]);
  await client.query("ALTER TABLE moved ALTER n TYPE text");
  await expect(query(client, text, [])).rejects.toMatchObject({ code: "0A000" });
  expect((await query(client, text, [])).rows).toEqual([["7"]]);
});

test("a text that can't be parsed leaves the connection unchanged", async () => {
  const query = createRawQuery(5);
  for (let tries = 0; tries < 2; tries++) {
    await client.query("BEGIN");
    await expect(query(client, "SELECT nothing FROM nowhere", [])).rejects.toMatchObject({ code: "42P01" });
    await client.query("ROLLBACK");
  }
  expect((await query(client, "SELECT 1", [])).rows).toEqual([["1"]]);
});

test("with a limit of 0, nothing is stored", async () => {
  const before = await onServer();
  expect((await createRawQuery(0)(client, "SELECT $1::int", [3])).rows).toEqual([["3"]]);
  expect(await onServer()).toEqual(before);
});
