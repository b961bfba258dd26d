// Deletes inbound requests that are old or too many, and expired secrets. In: the cell's pool. Out: the number of
// deleted requests, in batches.
import type { Pool } from "pg";

export interface InboundSweepOptions {
  readonly pool: Pool;
  readonly days: number;
  /** Maximum stored requests of one project. Beyond it, the oldest are deleted. */
  readonly rowsMax: number;
}

const BATCH_MAX = 500;

export async function sweepInbound(
  { pool, days, rowsMax }: InboundSweepOptions,
  stopped: () => boolean,
): Promise<number> {
  await pool.query("DELETE FROM plinth.inbound_secrets WHERE expires_at < now()");
  let gone = await deleteWhere(pool, "received_at < now() - make_interval(days => $1)", [days], stopped);
  const { rows } = await pool.query<{ project_id: string }>(
    "SELECT project_id FROM plinth.inbound_requests GROUP BY project_id HAVING count(*) > $1",
    [rowsMax],
  );
  for (const { project_id } of rows) {
    const { rows: newest } = await pool.query<{ id: string }>(
      "SELECT id FROM plinth.inbound_requests WHERE project_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1",
      [project_id, rowsMax],
    );
    if (newest[0] === undefined) continue;
    gone += await deleteWhere(pool, "project_id = $1 AND id <= $2", [project_id, newest[0].id], stopped);
  }
  return gone;
}

async function deleteWhere(
  pool: Pool,
  condition: string,
  values: readonly unknown[],
  stopped: () => boolean,
): Promise<number> {
  let gone = 0;
  for (let batch = BATCH_MAX; batch === BATCH_MAX && !stopped(); gone += batch) {
    const { rowCount } = await pool.query(
      `DELETE FROM plinth.inbound_requests WHERE (project_id, id) IN
         (SELECT project_id, id FROM plinth.inbound_requests WHERE ${condition} LIMIT ${BATCH_MAX})`,
      [...values],
    );
    batch = rowCount ?? 0;
  }
  return gone;
}
