// The migration of an earlier database: every project keeps its cell and its name.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runMigrations } from "@plinth/postgres";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createCellStore } from "../cells/store.ts";
import { connectDatabase, migrateDatabase } from "./connect.ts";

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

async function migrateUpTo(last: string): Promise<void> {
  const folder = join(import.meta.dirname, "migrations");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql") && name <= `${last}.sql`).sort();
  const migrations = await Promise.all(
    names.map(async (name) => ({ id: name.replace(/\.sql$/, ""), sql: await readFile(join(folder, name), "utf8") })),
  );
  await runMigrations({ pool, schema: "control", migrations });
}

it("cells become rows, and names belong to their organization", async () => {
  await migrateUpTo("003-provenance");
  await pool.query(`INSERT INTO control.organizations (id, name) VALUES ('org_a', 'A'), ('org_b', 'B')`);
  await pool.query(`INSERT INTO control.projects (id, organization_id, slug, cell_url, created_at) VALUES
    ('prj_1', 'org_a', 'one', 'http://127.0.0.1:4001', '2026-01-01'),
    ('prj_2', 'org_b', 'two', 'http://127.0.0.1:4001', '2026-01-02'),
    ('prj_3', 'org_b', 'three', 'http://10.0.0.2:4001', '2026-01-03')`);
  await migrateDatabase(pool);
  const cell = { id: "local", internalUrl: "http://127.0.0.1:4001", publicUrl: "https://api.example" };
  await createCellStore(connectDatabase(pool)).register(cell);
  const { rows } = await pool.query(
    `SELECT p.id, n.name, c.id AS cell, c.internal_url, c.public_url FROM control.projects p
     JOIN control.cells c ON c.id = p.cell_id JOIN control.project_names n ON n.project_id = p.id ORDER BY p.id`,
  );
  const local = { cell: "local", internal_url: "http://127.0.0.1:4001", public_url: "https://api.example" };
  expect(rows).toEqual([
    { id: "prj_1", name: "one", ...local },
    { id: "prj_2", name: "two", ...local },
    { id: "prj_3", name: "three", ...local, cell: "cell-2", internal_url: "http://10.0.0.2:4001" },
  ]);
  await pool.query(
    `INSERT INTO control.projects (id, organization_id, slug, cell_id) VALUES ('prj_4', 'org_b', 'one', 'local')`,
  );
});
