// The control database. In: a pool. Out: Kysely over the schema `control`, after its migrations. It never sees a tenant's schema,
// because the control database has none.
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

/** Updates the schema. Several processes can start it at the same time. */
export async function migrateDatabase(pool: Pool): Promise<void> {
  const directory = join(import.meta.dirname, "migrations");
  const files = (await readdir(directory)).filter((name) => name.endsWith(".sql")).sort();
  const migrations = await Promise.all(
    files.map(async (name) => ({ id: name.replace(/\.sql$/, ""), sql: await readFile(join(directory, name), "utf8") })),
  );
  await runMigrations({ pool, schema: SCHEMA, migrations });
}
