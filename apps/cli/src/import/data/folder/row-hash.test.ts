// The hash that is computed here is the one that Postgres computes.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rowHash } from "../source-sql.ts";
import { hashOf } from "./row-hash.ts";

let database: TestDatabase;
let sql: postgres.Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.adminUrl, { max: 1 });
});
afterAll(async () => {
  await sql?.end();
  await database?.drop();
});

test("every character, an empty text and NULL", async () => {
  const characters = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).slice(1);
  const rows: readonly (string | null)[][] = [
    [null],
    [""],
    [null, "", null],
    ["a,b", '"', "\\", "(", ")", "{x}", "NULL", "😀"],
    ...characters.map((character) => [`a${character}b`, null]),
  ];
  for (const width of [1, 2, 3, 8]) {
    const chosen = rows.filter((row) => row.length === width);
    const columns = Array.from({ length: width }, (_, at) => `(_r ->> ${at})`);
    const found = await sql.unsafe<{ hash: string }[]>(
      `SELECT ${rowHash(columns)}::text AS hash FROM jsonb_array_elements($1::text::jsonb) WITH ORDINALITY _x (_r, _n) ORDER BY _n`,
      [JSON.stringify(chosen)],
    );
    expect(found.map(({ hash }) => hash)).toEqual(chosen.map((row) => String(hashOf(row))));
  }
});
