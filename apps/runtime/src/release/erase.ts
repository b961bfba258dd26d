// Erases a deleted project. In: a suspended project. Out: its schema with all rows, its roles, its keys and all its
// rows in the cell's tables are gone. If the process dies meanwhile, the project stays suspended, and erasing it again
// continues.
import { dropTenantSchema, inTransactionOf, isRetryable, withoutTimeout } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { bumpEpoch, type Epoch } from "../identity/epoch.ts";
import { withProjectLock } from "./project-lock.ts";

const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Does nothing if the cell doesn't know the project. @throws Fault conflict (it is served, or a release is in
 * progress).
 */
export async function eraseProject(
  { pool, epoch }: { readonly pool: Pool; readonly epoch: Epoch },
  projectId: string,
): Promise<void> {
  const { rows } = await pool.query<{ suspended: boolean }>(
    "SELECT suspended_at IS NOT NULL AS suspended FROM plinth.projects WHERE id = $1",
    [projectId],
  );
  if (rows[0] === undefined) return;
  if (!rows[0].suspended) throw new Fault("conflict", { detail: "Only a suspended project can be erased." });
  const done = await withProjectLock(pool, projectId, (client) =>
    // A large schema takes longer than the usual limit of statements.
    withoutTimeout(client, async () => {
      await evenInUse(() => revoke(client, projectId));
      // Other processes notice it a moment later. Until then they find no table.
      await epoch.refresh();
      await evenInUse(() => dropTenantSchema(client, projectId));
      await evenInUse(() => deleteRows(client, projectId));
    }),
  );
  if (!done) throw new Fault("conflict", { detail: "A release of the project is in progress." });
}

const TRIES_MAX = 5;

/** Requests and work in progress take their locks in another order, and Postgres may abort either side. */
async function evenInUse(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES_MAX || !isRetryable(error)) throw error;
    }
  }
}

/** First, while the project still has an epoch: otherwise a process could accept its keys for another minute. */
async function revoke(client: PoolClient, projectId: string): Promise<void> {
  await inTransactionOf(client, async () => {
    await client.query("DELETE FROM plinth.api_keys WHERE project_id = $1", [projectId]);
    await client.query("DELETE FROM plinth.signing_keys WHERE project_id = $1", [projectId]);
    await bumpEpoch(client, projectId);
  });
}

interface Owned {
  readonly name: string;
  /** Rows of the project. */
  readonly condition: string;
}

/** Every table that names the project, or one of its releases, from any version of the cell. */
async function ownedTables(client: PoolClient): Promise<readonly Owned[]> {
  const { rows } = await client.query<{ name: string; owner: string }>(
    `SELECT c.table_name AS name, min(c.column_name) AS owner FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'plinth' AND t.table_type = 'BASE TABLE' AND c.column_name IN ('project_id', 'release_id')
     GROUP BY c.table_name`,
  );
  return rows.map(({ name, owner }) => ({
    name: `plinth."${name}"`,
    condition:
      owner === "project_id"
        ? "project_id = $1"
        : "release_id IN (SELECT id FROM plinth.releases WHERE project_id = $1)",
  }));
}

/**
 * In one transaction, so that the rest can be erased again. Tables with references from others come once those are
 * empty.
 */
async function deleteRows(client: PoolClient, projectId: string): Promise<void> {
  let left = await ownedTables(client);
  await inTransactionOf(client, async () => {
    await client.query("UPDATE plinth.projects SET active_release_id = NULL WHERE id = $1", [projectId]);
    while (left.length > 0) {
      const held: Owned[] = [];
      for (const table of left) if (!(await deleteFrom(client, table, projectId))) held.push(table);
      if (held.length === left.length)
        throw new Error(`rows of ${projectId} hold each other: ${held.map((t) => t.name)}`);
      left = held;
    }
    await client.query("DELETE FROM plinth.projects WHERE id = $1", [projectId]);
  });
}

/** False if another table still refers to its rows. */
async function deleteFrom(client: PoolClient, { name, condition }: Owned, projectId: string): Promise<boolean> {
  await client.query("SAVEPOINT one");
  try {
    await client.query(`DELETE FROM ${name} WHERE ${condition}`, [projectId]);
    await client.query("RELEASE SAVEPOINT one");
    return true;
  } catch (error) {
    if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
    await client.query("ROLLBACK TO SAVEPOINT one");
    return false;
  }
}
