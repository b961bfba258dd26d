// Deletes a project: its schema and roles, and every row that the cell has of it. In: a project's id. Out: nothing; doing it
// again does nothing. What stays is the id itself, marked, so that nothing is ever made under it again.
import { dropTenantSchema, isRetryable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { bumpEpoch, type Epoch } from "../identity/epoch.ts";
import { CELL_SCHEMA } from "./cell-tables.ts";
import { withProjectLock } from "./project-lock.ts";

/** @throws Fault conflict while a release is being deployed. */
export async function removeProject(
  { pool, epoch }: { readonly pool: Pool; readonly epoch: Epoch },
  projectId: string,
): Promise<void> {
  const ran = await withProjectLock(pool, projectId, async (client) => {
    if (!(await asOne(client, () => close(client, projectId)))) return;
    // From here on nobody is let in. Other processes learn of it a moment later, and find no table in the meantime.
    await epoch.refresh();
    await dropSchema(client, projectId);
    // What a job that was under way has left behind.
    await asOne(client, () => clear(client, projectId));
  });
  if (!ran) throw deploying();
}

const DROPS_MAX = 5;

/** What is under way takes its locks in another order, and Postgres may end either of the two. */
async function dropSchema(client: PoolClient, projectId: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await dropTenantSchema(client, projectId);
    } catch (error) {
      if (tries === DROPS_MAX || !isRetryable(error)) throw error;
    }
  }
}

/** One transaction on the connection that holds the lock. What goes wrong closes it, and so takes everything back. */
async function asOne<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  const answer = await work();
  await client.query("COMMIT");
  return answer;
}

/** False where there is no such project. */
async function close(client: PoolClient, projectId: string): Promise<boolean> {
  const { rows } = await client.query<{ deploying: boolean }>(
    `SELECT EXISTS (SELECT FROM plinth.releases r WHERE r.project_id = p.id AND r.status IN ('received', 'migrating'))
       AS deploying FROM plinth.projects p WHERE p.id = $1 FOR NO KEY UPDATE`,
    [projectId],
  );
  if (rows[0] === undefined) return false;
  if (rows[0].deploying) throw deploying();
  await client.query(
    `UPDATE plinth.projects SET removed_at = coalesce(removed_at, now()), active_release_id = NULL, retains = false
     WHERE id = $1`,
    [projectId],
  );
  await clear(client, projectId);
  await bumpEpoch(client, projectId);
  return true;
}

function deploying(): Fault {
  return new Fault("conflict", { detail: "A release of this project is being deployed." });
}

/** The mark, and the number by which other processes learn of it. */
const KEPT = ["projects", "epochs"];

/** The catalogue names the tables, so that none is forgotten when another is added. */
async function clear(client: PoolClient, projectId: string): Promise<void> {
  for (const { name, column } of await tablesOf(client)) {
    const which = column === "project_id" ? "= $1" : "IN (SELECT id FROM plinth.releases WHERE project_id = $1)";
    await client.query(`DELETE FROM plinth.${name} WHERE ${column} ${which}`, [projectId]);
  }
}

interface OwnTable {
  readonly name: string;
  readonly column: "project_id" | "release_id";
}

/** Each table before those that it refers to. */
async function tablesOf(client: PoolClient): Promise<readonly OwnTable[]> {
  const { rows } = await client.query<OwnTable & { readonly referrers: readonly string[] }>(
    `SELECT c.relname AS name, min(a.attname::text) AS column,
       ARRAY(SELECT DISTINCT f.conrelid::regclass::text FROM pg_constraint f
             WHERE f.contype = 'f' AND f.confrelid = c.oid AND f.conrelid <> c.oid) AS referrers
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname IN ('project_id', 'release_id')
     WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relname = ANY ($2)
     GROUP BY c.oid, c.relname ORDER BY c.relname`,
    [CELL_SCHEMA, KEPT],
  );
  const ordered: OwnTable[] = [];
  const visit = (table: (typeof rows)[number]): void => {
    if (ordered.includes(table)) return;
    for (const name of table.referrers) {
      const referrer = rows.find((each) => `${CELL_SCHEMA}.${each.name}` === name || each.name === name);
      if (referrer !== undefined) visit(referrer);
    }
    if (!ordered.includes(table)) ordered.push(table);
  };
  for (const table of rows) visit(table);
  return ordered;
}
