// The control database. In: a pool. Out: Kysely over the schema `control`, and its migrations applied.
// It never sees a tenant's schema: the control database holds none.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { runMigrations } from "@plinth/postgres";
import { Kysely, PostgresDialect } from "kysely";
import type { Pool } from "pg";
import type { ControlDatabase, Database } from "./tables.ts";

const SCHEMA = "control";

export function connectDatabase(pool: Pool): ControlDatabase {
  return new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }).withSchema(SCHEMA);
}

/** Brings the schema up to date; safe where several processes start at once. */
export async function migrateDatabase(pool: Pool): Promise<void> {
  const directory = join(import.meta.dirname, "migrations");
  const files = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  const migrations = await Promise.all(
    files.map(async (name) => ({ id: name.replace(/\.sql$/, ""), sql: await readFile(join(directory, name), "utf8") })),
  );
  await runMigrations({ pool, schema: SCHEMA, migrations });
}
