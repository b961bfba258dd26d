// Deletes deliveries that ended before the retention of their project or operator, and noted events that no endpoint waits for. In: the operator's days. Out:
// batches of deletes, until none is left or the time is over.
import type { Pool } from "pg";

const BATCH_MAX = 1_000;
/** For one round; the next one continues. */
const BATCHES_MAX = 100;
const DAY_MS = 86_400_000;

/** An endpoint that had missed them is disabled or deleted. */
const UNNEEDED = `DELETE FROM plinth.webhook_fan_outs f WHERE f.done AND NOT EXISTS (SELECT 1 FROM plinth.webhook_endpoints e
  WHERE e.project_id = f.project_id AND e.enabled AND e.behind_from <= f.id)`;

/** Attempts are deleted with their delivery, and a body with its last delivery. Returns the number of deliveries. */
export async function sweepDeliveries(pool: Pool, days: number, isStopped: () => boolean): Promise<number> {
  await pool.query(UNNEEDED);
  let deleted = await deleteBatches(pool, { condition: "true", days, values: [] }, isStopped);
  const { rows } = await pool.query<{ id: string; days: number }>(
    "SELECT id, webhook_days AS days FROM plinth.projects WHERE webhook_days < $1 ORDER BY id",
    [days],
  );
  for (const project of rows) {
    // Ids rise with time, so no later delivery can have ended long enough ago.
    const condition = "d.project_id = $2 AND d.id < $3::uuid";
    const values = [project.id, idAt(Date.now() - (project.days - 1) * DAY_MS)];
    deleted += await deleteBatches(pool, { condition, days: project.days, values }, isStopped);
  }
  return deleted;
}

interface Old {
  /** Over the row `d`. */
  readonly condition: string;
  readonly days: number;
  /** The values of `$2` and the following parameters. */
  readonly values: readonly string[];
}

async function deleteBatches(pool: Pool, { condition, days, values }: Old, isStopped: () => boolean): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX && !isStopped(); batch++) {
    const { rowCount } = await pool.query(
      `DELETE FROM plinth.webhook_deliveries WHERE id IN (
         SELECT d.id FROM plinth.webhook_deliveries d
         WHERE d.status <> 'pending' AND d.ended_at < now() - make_interval(days => $1) AND ${condition}
         ORDER BY d.ended_at LIMIT ${BATCH_MAX} FOR UPDATE SKIP LOCKED)`,
      [days, ...values],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH_MAX) break;
  }
  return deleted;
}

/** The lowest UUID v7 of a time. */
function idAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
