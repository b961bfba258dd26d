// Rows at the bounds of an import: values that two types write differently, batches that grow on their way, and rows that no batch holds.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type DataInstallation, startDataInstallation } from "./data-installation.ts";

let installation: DataInstallation;
let source: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  [installation, source] = await Promise.all([startDataInstallation(), createTestDatabase()]);
  client = new pg.Client({ connectionString: source.adminUrl });
  await client.connect();
}, 120_000);
afterAll(async () => {
  await client?.end();
  await Promise.all([installation?.stop(), source?.drop()]);
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
type Json = any;

/** The blueprint of a schema of the source, deployed as it is, with its rows. */
async function brought(schema: string, ...words: readonly string[]): Promise<Json> {
  const { stdout } = await installation.plinth(
    ...["import", "postgres", source.adminUrl, "--schema", schema, "--project", schema, "--json"],
  );
  const deployed = await installation.deploy(schema, JSON.parse(stdout).blueprint);
  return { ...deployed, ...(await imported(schema, ...words)) };
}

async function imported(schema: string, ...words: readonly string[]): Promise<Json> {
  const { code, stdout, stderr } = await installation.plinth(
    ...["import", "data", source.adminUrl, "--schema", schema, "--project", schema, "--yes", "--json", ...words],
  );
  expect(stdout, `${stderr}${installation.output()}`).not.toBe("");
  return { code, ...JSON.parse(stdout) };
}

test("numbers of single precision arrive with the digits that their own database shows", async () => {
  await client.query(`
    CREATE SCHEMA land;
    CREATE TABLE land.country (code char(3) PRIMARY KEY, area real NOT NULL, areas real[], half double precision);
    INSERT INTO land.country VALUES ('AGO', 1246700, '{1246700,0.1,1e-9}', 1.2467e20), ('SAN', 61.2, '{}', 0.1),
      ('VAT', 0.4, NULL, NULL), ('ZMB', 1e-9, NULL, 1e-9);
  `);
  const { schema, results } = await brought("land");
  expect(results).toMatchObject([{ found: 4, accepted: 4, refused: 0, isWhole: true }]);
  const { rows } = await installation.cellPool.query(
    `SELECT code, area::text, half::text FROM ${schema}.countries ORDER BY code`,
  );
  expect(rows).toEqual([
    { code: "AGO", area: "1246700", half: "1.2467e+20" },
    { code: "SAN", area: "61.2", half: "0.1" },
    { code: "VAT", area: "0.4", half: null },
    { code: "ZMB", area: "1e-09", half: "1e-09" },
  ]);
});

test("a batch of rows full of quotes and backslashes is not too large for its way", async () => {
  await client.query(`
    CREATE SCHEMA quotes;
    CREATE TABLE quotes.page (id serial PRIMARY KEY, text text NOT NULL, data jsonb NOT NULL);
    INSERT INTO quotes.page (text, data)
      SELECT repeat(E'"\\\\\\n\\t', 500), jsonb_build_object('a', to_jsonb(array_fill(''::text, ARRAY[500]))) FROM generate_series(1, 400) n;
  `);
  const { schema, results } = await brought("quotes");
  expect(results).toMatchObject([{ found: 400, accepted: 400, refused: 0, isWhole: true }]);
  const { rows } = await installation.cellPool.query(
    `SELECT count(*)::int AS n FROM ${schema}.pages WHERE text = repeat(E'"\\\\\\n\\t', 500)`,
  );
  expect(rows).toEqual([{ n: 400 }]);
});

test("a row that no batch holds is refused by its key, and all others come", async () => {
  await client.query(`
    CREATE SCHEMA wide;
    CREATE TABLE wide.page (id int PRIMARY KEY, title text NOT NULL, body text, before_id int REFERENCES wide.page);
    INSERT INTO wide.page SELECT n, 'Page ' || n, CASE WHEN n IN (1, 7, 8, 12) THEN repeat('x', 1500000 + n * n * 100000) ELSE 'short' END,
      nullif(n - 1, 0) FROM generate_series(1, 12) n;
  `);
  const { schema, code, results } = await brought("wide", "--refused", "wide.jsonl");
  expect(results).toMatchObject([
    { kind: "records", found: 12, accepted: 8, refused: 4, isWhole: true },
    { kind: "fill", found: 11, accepted: 6, refused: 5, isWhole: true },
  ]);
  expect(code).toBe(1);
  const refusals = (await installation.refusals("wide.jsonl")).slice(0, 4);
  expect(refusals).toEqual(["1", "7", "8", "12"].map((key) => ["page", key, null, "too_large"]));
  const { rows } = await installation.cellPool.query(`SELECT title FROM ${schema}.pages ORDER BY legacy_id`);
  expect(rows).toHaveLength(8);
  const again = await imported("wide");
  expect(again.results[0]).toMatchObject({ found: 12, accepted: 8, refused: 4, isWhole: true });
});
