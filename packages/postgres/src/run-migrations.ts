// Migrates one of our own schemas. In: an ordered list of SQL texts. Out: which of them ran now. It never runs one
// twice, never runs two callers at the same time, and stops if an applied one was edited afterwards.
import { createHash } from "node:crypto";
import type { ClientBase, Pool } from "pg";
import { quoteIdentifier } from "./identifier.ts";
import { withSession } from "./lend.ts";
import { withoutTimeout } from "./session.ts";

export type Migration = { readonly id: string; readonly sql: string };

export type MigrationRun = {
  readonly pool: Pool;
  readonly schema: string;
  readonly migrations: readonly Migration[];
};

/** @throws Error if an applied migration's text has changed, or if a statement fails (its migration is rolled back) */
export async function runMigrations(run: MigrationRun): Promise<readonly string[]> {
  const ids = run.migrations.map((each) => each.id);
  if (new Set(ids).size !== ids.length) throw new Error("Two migrations have the same id");
  const lock = `plinth migrations of ${run.schema}`;
  // A failed connection is closed, which releases its lock.
  return withSession(run.pool, (client) =>
    withoutTimeout(client, async () => {
      await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [lock]);
      const done = await applyNew(client, run);
      await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [lock]);
      return done;
    }),
  );
}

async function applyNew(client: ClientBase, run: MigrationRun): Promise<readonly string[]> {
  const schema = quoteIdentifier(run.schema);
  // Checked first: IF NOT EXISTS would still require the right to create schemas from a role that no longer needs it.
  const { rowCount: exists } = await client.query("SELECT FROM pg_namespace WHERE nspname = $1", [run.schema]);
  if (exists === 0) await client.query(`CREATE SCHEMA ${schema}`);
  await client.query(`CREATE TABLE IF NOT EXISTS ${schema}.migrations (
    id text PRIMARY KEY, hash text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const { rows } = await client.query<{ id: string; hash: string }>(`SELECT id, hash FROM ${schema}.migrations`);
  const applied = new Map(rows.map((row) => [row.id, row.hash]));
  for (const migration of run.migrations) {
    const hash = applied.get(migration.id);
    if (hash !== undefined && hash !== hashOf(migration.sql)) {
      throw new Error(`Migration "${migration.id}" of schema ${run.schema} was changed after it had been applied`);
    }
  }
  const done: string[] = [];
  for (const migration of run.migrations) {
    if (applied.has(migration.id)) continue;
    await client.query("BEGIN");
    try {
      await client.query(migration.sql);
      await client.query(`INSERT INTO ${schema}.migrations (id, hash) VALUES ($1, $2)`, [
        migration.id,
        hashOf(migration.sql),
      ]);
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw new Error(`Migration "${migration.id}" of schema ${run.schema} failed`, { cause: error });
    }
    done.push(migration.id);
  }
  return done;
}

function hashOf(sql: string): string {
  return createHash("sha256").update(sql).digest("hex");
}
