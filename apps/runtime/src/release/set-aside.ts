// Data that was removed from service and is kept for a while. In: a connection and a step, or a project. Out: rows of
// the cell. It never touches data before its time is over. A plan restores it like in any other step.

import { type ProjectId, SET_ASIDE_DAYS, type SetAside, type Table } from "@plinth/bundle";
import { quoteIdentifier, tenantNames } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { withProjectLock } from "./project-lock.ts";
import { StepRefused } from "./step-refused.ts";

export interface KeptAside extends SetAside {
  /** RFC 3339 UTC: when it is dropped. */
  readonly until: string;
}

type Connection = Pick<PoolClient, "query">;

function nameOf(what: SetAside): string {
  return what.column === null ? what.table : `${what.table}.${what.column}`;
}

/** In the transaction of the step that removes it from service. */
export async function recordSetAside(
  client: Connection,
  at: { readonly projectId: ProjectId; readonly releaseId: string },
  what: SetAside,
): Promise<void> {
  await client.query(
    `INSERT INTO plinth.set_aside (project_id, release_id, kind, table_name, column_name, kept_as, sql_type, was, until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(days => $9))`,
    [
      at.projectId,
      at.releaseId,
      what.kind,
      what.table,
      what.column,
      what.keptAs,
      what.sqlType,
      what.was === null ? null : JSON.stringify(what.was),
      SET_ASIDE_DAYS,
    ],
  );
}

/** In the transaction of the step that restores it. @throws StepRefused if it is no longer stored. */
export async function forgetSetAside(client: Connection, projectId: ProjectId, what: SetAside): Promise<void> {
  const { rowCount } = await client.query(
    "DELETE FROM plinth.set_aside WHERE project_id = $1 AND kind = $2 AND kept_as = $3 AND (kind = 'table' OR table_name = $4)",
    [projectId, what.kind, what.keptAs, what.table],
  );
  if (rowCount === 0) throw new StepRefused(`${nameOf(what)} is no longer stored, so it can't be restored.`);
}

/** Oldest first. Expired data isn't offered, because it may be dropped before a plan that needs it runs. */
export async function listSetAside(client: Connection, projectId: ProjectId): Promise<readonly KeptAside[]> {
  const { rows } = await client.query<SetAsideRow>(
    `SELECT kind, table_name, column_name, kept_as, sql_type, was, until FROM plinth.set_aside
     WHERE project_id = $1 AND until > now() ORDER BY set_aside_at, kind, table_name, kept_as`,
    [projectId],
  );
  return rows.map((row) => ({ ...whatOf(row), until: row.until.toISOString() }));
}

interface SetAsideRow {
  readonly kind: SetAside["kind"];
  readonly table_name: string;
  readonly column_name: string | null;
  readonly kept_as: string;
  readonly sql_type: string | null;
  readonly was: Table | null;
  readonly until: Date;
}

function whatOf(row: SetAsideRow): SetAside {
  return {
    kind: row.kind,
    table: row.table_name,
    column: row.column_name,
    keptAs: row.kept_as,
    sqlType: row.sql_type,
    was: row.was,
  };
}

/** Dropped in one round; the next round takes the rest. */
const SWEEP_MAX = 50;
/** Nobody uses the data, but dropping a column locks its table: give up at once, and come back later. */
const SWEEP_LOCK_TIMEOUT = "200ms";

export interface SweepOptions {
  readonly pool: Pool;
  readonly logger: Logger;
}

/**
 * Drops expired data. Returns how much; data that is locked, or whose project has a release in progress, waits for the
 * next round.
 */
export async function sweepSetAside({ pool, logger }: SweepOptions): Promise<number> {
  const { rows } = await pool.query<SetAsideRow & { project_id: ProjectId }>(
    `SELECT project_id, kind, table_name, column_name, kept_as, sql_type, was, until FROM plinth.set_aside
     WHERE until <= now() ORDER BY until LIMIT $1`,
    [SWEEP_MAX],
  );
  let dropped = 0;
  for (const row of rows) {
    try {
      const ran = await withProjectLock(pool, row.project_id, (client) => drop(client, row.project_id, whatOf(row)));
      if (ran) dropped++;
    } catch (error) {
      logger.warn(
        { err: error, projectId: row.project_id, keptAs: row.kept_as },
        "data that was set aside could not be dropped; it will be retried",
      );
    }
  }
  return dropped;
}

async function drop(client: PoolClient, projectId: ProjectId, what: SetAside): Promise<void> {
  const { schema, owner } = tenantNames(projectId);
  const table = (name: string): string => `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  await client.query("BEGIN");
  try {
    // Checked again under the lock, because a release may have restored it meanwhile.
    const { rowCount } = await client.query(
      `DELETE FROM plinth.set_aside
       WHERE project_id = $1 AND kind = $2 AND kept_as = $3 AND table_name = $4 AND until <= now()`,
      [projectId, what.kind, what.keptAs, what.table],
    );
    if (rowCount !== 0) {
      await client.query(`SET LOCAL lock_timeout = '${SWEEP_LOCK_TIMEOUT}'`);
      await client.query(`SET LOCAL ROLE ${quoteIdentifier(owner)}`);
      if (what.kind === "table") await client.query(`DROP TABLE IF EXISTS ${table(what.keptAs)}`);
      else {
        const column = quoteIdentifier(what.keptAs);
        await client.query(`ALTER TABLE IF EXISTS ${table(what.table)} DROP COLUMN IF EXISTS ${column}`);
      }
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
