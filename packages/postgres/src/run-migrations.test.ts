import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPool } from "./pool.ts";
import { runMigrations } from "./run-migrations.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ connectionString: database.url, max: 8, applicationName: "migrations under test" });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const first = { id: "0001-a", sql: "CREATE TABLE one.a (id int); INSERT INTO one.a VALUES (1)" };
const second = { id: "0002-b", sql: "ALTER TABLE one.a ADD COLUMN b text" };

test("each migration is applied once, in order, however many processes start together", async () => {
  const runs = await Promise.all(
    Array.from({ length: 6 }, () => runMigrations({ pool, schema: "one", migrations: [first, second] })),
  );
  expect(runs.flat()).toEqual(["0001-a", "0002-b"]);
  expect(await runMigrations({ pool, schema: "one", migrations: [first, second] })).toEqual([]);
  expect((await pool.query("SELECT id, b FROM one.a")).rows).toEqual([{ id: 1, b: null }]);
});

test("an edited migration that was already applied stops the run before anything new is applied", async () => {
  const edited = { ...first, sql: `${first.sql};` };
  const third = { id: "0003-c", sql: "CREATE TABLE one.c ()" };
  await expect(runMigrations({ pool, schema: "one", migrations: [edited, second, third] })).rejects.toThrow(
    /"0001-a" of schema one was changed/,
  );
  expect((await pool.query("SELECT to_regclass('one.c') AS c")).rows).toEqual([{ c: null }]);
});

test("a failed migration is rolled back as a whole, and can run again", async () => {
  const bad = { id: "0003-c", sql: "CREATE TABLE one.c (); SELECT 1 / 0" };
  const failed = runMigrations({ pool, schema: "one", migrations: [first, second, bad] });
  await expect(failed).rejects.toMatchObject({ message: /"0003-c"/, cause: { code: "22012" } });
  const good = { id: "0003-c", sql: "CREATE TABLE one.c ()" };
  expect(await runMigrations({ pool, schema: "one", migrations: [first, second, good] })).toEqual(["0003-c"]);
});

test("two migrations with the same id are refused", async () => {
  await expect(runMigrations({ pool, schema: "two", migrations: [first, first] })).rejects.toThrow(/same id/);
});
