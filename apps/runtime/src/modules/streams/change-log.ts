// The recorded changes for subscribers, in their order. In: the cell's database. Out: numbers: how far a project's
// changes go, and from where they are complete. It reads no record.
// Changes are numbered after they are committed, by one process at a time for each project. So after a number was read,
// only greater ones follow, whatever the order of commits. No transaction elsewhere on the server delays them.
import { inTransaction, quoteIdentifier } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool } from "pg";

export interface Extent {
  /** The number of the last change. */
  readonly head: number;
  /** Changes up to this number are deleted. */
  readonly pruned: number;
}

export interface ChangeLog {
  /**
   * Makes writes of the entity record their changes. Returns the number after which all of them are recorded. @param
   * tables The tables whose writes record changes of the entity, qualified. @throws Fault `unavailable`.
   */
  follow(projectId: string, entity: string, tables: readonly string[]): Promise<number>;
  /**
   * Continues the recording. Returns for each the number after which its changes are complete; null if it was given up.
   */
  renew(followed: readonly Followed[]): Promise<readonly (number | null)[]>;
  /** Numbers the committed changes. Returns the extents by project. */
  extents(projectIds: readonly string[]): Promise<ReadonlyMap<string, Extent>>;
  /** Entities with changes above `after`, up to `to`, each with the number of its last change. */
  changed(projectId: string, after: number, to: number): Promise<ReadonlyMap<string, number>>;
}

export interface Followed {
  readonly projectId: string;
  readonly entity: string;
}

/** How long writes still record their changes after the last subscriber has left, and how long changes are kept. */
export const KEPT_MINUTES = 15;
const BATCH = 5_000;
const WRITERS_MS_MAX = 10_000;
const LOOK_AGAIN_MS = 20;

export function createChangeLog(pool: Pool): ChangeLog {
  const number = (projectIds: readonly string[]): Promise<void> =>
    inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ project_id: string }>(LOCK, [projectIds]);
      if (rows.length > 0) await client.query(NUMBER, [rows.map((row) => row.project_id)]);
    });
  const log: ChangeLog = {
    async follow(projectId, entity, tables) {
      await pool.query("INSERT INTO plinth.streams (project_id) VALUES ($1) ON CONFLICT DO NOTHING", [projectId]);
      const { rows } = await pool.query<{ from_seq: string | null }>(FOLLOW, [projectId, entity]);
      const known = rows[0]?.from_seq ?? null;
      if (known !== null) return Number(known);
      // Writes that began before don't see the row. Those that begin now do, because they lock the table before they
      // look.
      await writersGone(pool, tables);
      await number([projectId]);
      const { rows: complete } = await pool.query<{ from_seq: string }>(COMPLETE, [projectId, entity]);
      if (complete[0] === undefined) throw new Fault("unavailable", { headers: { "retry-after": "1" } });
      return Number(complete[0].from_seq);
    },
    async renew(followed) {
      const { rows } = await pool.query<{ project_id: string; entity: string; from_seq: string | null }>(RENEW, [
        followed.map(({ projectId }) => projectId),
        followed.map(({ entity }) => entity),
      ]);
      const found = new Map(rows.map((row) => [`${row.project_id}/${row.entity}`, row.from_seq]));
      return followed.map(({ projectId, entity }) => {
        const from = found.get(`${projectId}/${entity}`) ?? null;
        return from === null ? null : Number(from);
      });
    },
    async extents(projectIds) {
      let found = await readExtents(pool, projectIds);
      const pending = found.filter((row) => row.pending).map((row) => row.project_id);
      if (pending.length > 0) {
        await number(pending);
        found = await readExtents(pool, projectIds);
      }
      return new Map(found.map((row) => [row.project_id, { head: Number(row.seq), pruned: Number(row.pruned_seq) }]));
    },
    async changed(projectId, after, to) {
      const { rows } = await pool.query<{ entity: string; seq: string }>(CHANGED, [projectId, after, to]);
      return new Map(rows.map((row) => [row.entity, Number(row.seq)]));
    },
  };
  return log;
}

interface ExtentRow {
  readonly project_id: string;
  readonly seq: string;
  readonly pruned_seq: string;
  readonly pending: boolean;
}

async function readExtents(pool: Pool, projectIds: readonly string[]): Promise<readonly ExtentRow[]> {
  return (await pool.query<ExtentRow>({ name: "stream-extents", text: EXTENTS, values: [projectIds] })).rows;
}

/** Waits until each transaction that writes one of the tables now has ended. */
async function writersGone(pool: Pool, tables: readonly string[]): Promise<void> {
  const writers = async (): Promise<ReadonlySet<string>> => {
    const { rows } = await pool.query<{ writer: string }>(WRITERS, [tables]);
    return new Set(rows.map((row) => row.writer));
  };
  const deadline = performance.now() + WRITERS_MS_MAX;
  for (let left = await writers(); left.size > 0; ) {
    if (performance.now() > deadline) {
      const detail = "Earlier writes are still in progress. Try again.";
      throw new Fault("unavailable", { detail, headers: { "retry-after": "2" } });
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    const now = await writers();
    left = new Set([...left].filter((writer) => now.has(writer)));
  }
}

export const qualified = (schema: string, table: string): string => `${schema}.${quoteIdentifier(table)}`;

const UNTIL = `now() + interval '${KEPT_MINUTES} minutes'`;
const FOLLOW = `INSERT INTO plinth.followed (project_id, entity, until) VALUES ($1, $2, ${UNTIL})
  ON CONFLICT (project_id, entity) DO UPDATE SET until = EXCLUDED.until RETURNING from_seq`;
const RENEW = `UPDATE plinth.followed f SET until = ${UNTIL} FROM unnest($1::text[], $2::text[]) AS g (project_id, entity)
  WHERE f.project_id = g.project_id AND f.entity = g.entity RETURNING f.project_id, f.entity, f.from_seq`;
/**
 * Takes a new number, so that every position from an earlier subscription is below it, even if nothing was numbered
 * since. A client that returns with such a position has missed changes that weren't recorded.
 */
const COMPLETE = `WITH moved AS (
    UPDATE plinth.streams s SET seq = s.seq + 1 WHERE s.project_id = $1 RETURNING s.seq
  ) UPDATE plinth.followed f SET from_seq = coalesce(f.from_seq, moved.seq) FROM moved
  WHERE f.project_id = $1 AND f.entity = $2 RETURNING f.from_seq`;
const EXTENTS = `SELECT s.project_id, s.seq, s.pruned_seq,
    EXISTS (SELECT 1 FROM plinth.changes c WHERE c.project_id = s.project_id AND c.seq IS NULL) AS pending
  FROM plinth.streams s WHERE s.project_id = ANY($1)`;
/** If another process is numbering a project's changes now, it does it for all. */
const LOCK =
  "SELECT project_id FROM plinth.streams WHERE project_id = ANY($1) ORDER BY project_id FOR UPDATE SKIP LOCKED";
/**
 * For one record, the order of the ids is the order of its changes, because a writer locks the record until it has
 * committed.
 */
const NUMBER = `WITH pending AS (
    SELECT c.id, c.project_id, row_number() OVER (PARTITION BY c.project_id ORDER BY c.id) AS n
    FROM (SELECT id, project_id FROM plinth.changes WHERE project_id = ANY($1) AND seq IS NULL ORDER BY id LIMIT ${BATCH}) c
  ), numbered AS (
    UPDATE plinth.changes c SET seq = s.seq + p.n FROM pending p JOIN plinth.streams s ON s.project_id = p.project_id
    WHERE c.id = p.id RETURNING c.project_id
  ) UPDATE plinth.streams s SET seq = s.seq + n.count
    FROM (SELECT project_id, count(*) FROM numbered GROUP BY project_id) n WHERE s.project_id = n.project_id`;
const CHANGED = `SELECT entity, max(seq) AS seq FROM plinth.changes WHERE project_id = $1 AND seq > $2 AND seq <= $3 GROUP BY entity`;
const WRITERS = `SELECT DISTINCT l.virtualtransaction AS writer FROM pg_locks l
  WHERE l.locktype = 'relation' AND l.granted AND l.mode = 'RowExclusiveLock' AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND l.relation IN (SELECT to_regclass(t)::oid FROM unnest($1::text[]) t)`;
