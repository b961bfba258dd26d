import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as errors from "./errors.ts";

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`CREATE SCHEMA e; CREATE TABLE e.a (id int PRIMARY KEY, "Two, words" text, b int, email text, c int NOT NULL DEFAULT 1 CHECK (c > 0),
    CONSTRAINT pair UNIQUE ("Two, words", b)); CREATE UNIQUE INDEX a_email ON e.a (lower(email));
    CREATE TABLE e.child (id int, a_id int CONSTRAINT child_a REFERENCES e.a ON DELETE RESTRICT)`);
  await client.query("INSERT INTO e.a VALUES (1, 'x', 2, 'A@b.c'); INSERT INTO e.child VALUES (1, 1)");
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const errorOf = (sql: string): Promise<unknown> =>
  client.query(sql).then(
    () => null,
    (error: unknown) => error,
  );

test("a unique violation names its constraint and columns, never the values", async () => {
  const error = await errorOf("INSERT INTO e.a VALUES (2, 'x', 2)");
  expect(errors.isUniqueViolation(error)).toBe(true);
  expect(errors.constraintName(error)).toBe("pair");
  expect(errors.tableName(error)).toBe("a");
  expect(errors.constraintColumns(await errorOf("INSERT INTO e.a VALUES (1)"))).toEqual(["id"]);
  expect(errors.constraintColumns(await errorOf("INSERT INTO e.a VALUES (3, 'y', 2, 'a@B.C')"))).toEqual(["email"]);
});

test("foreign keys in both directions, nulls and checks have different errors", async () => {
  const missing = await errorOf("INSERT INTO e.child VALUES (2, 99)");
  expect([errors.isForeignKeyViolation(missing), errors.constraintName(missing)]).toEqual([true, "child_a"]);
  const restricted = await errorOf("DELETE FROM e.a WHERE id = 1");
  expect([errors.isForeignKeyViolation(restricted), errors.constraintName(restricted)]).toEqual([true, "child_a"]);
  const empty = await errorOf("INSERT INTO e.a (id, c) VALUES (5, NULL)");
  expect([errors.isNotNullViolation(empty), errors.columnName(empty)]).toEqual([true, "c"]);
  expect(errors.isCheckViolation(await errorOf("INSERT INTO e.a (id, c) VALUES (5, 0)"))).toBe(true);
});

test("a lost connection becomes a fault, and other errors stay as they are", async () => {
  const refused = await new pg.Client({ connectionString: "postgres://x:x@127.0.0.1:1/x" }).connect().catch((e) => e);
  expect(errors.asFault(refused)).toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
  const full = Object.assign(new Error("could not extend file"), { code: "53100", severity: "ERROR" });
  expect(errors.asFault(full)).toMatchObject({ code: "unavailable", headers: { "retry-after": "30" }, cause: full });
  const syntax = await errorOf("SELEKT");
  expect(errors.asFault(syntax)).toBe(syntax);
  expect(errors.sqlState(new Error("x"))).toBeNull();
  expect(errors.sqlState(Object.assign(new Error("x"), { code: "EPIPE" }))).toBeNull();
});
