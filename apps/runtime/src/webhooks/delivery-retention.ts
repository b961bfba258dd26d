// Deletes deliveries that ended longer ago than events are kept. In: days. Out: batches of deletes, until none is left or time is over.
import type { Pool } from "pg";

const BATCH_MAX = 1_000;
/** Of one round: the next goes on. */
const BATCHES_MAX = 100;

/** Attempts go with their delivery. Out: how many deliveries. */
export async function sweepDeliveries(pool: Pool, days: number, isStopped: () => boolean): Promise<number> {
  let deleted = 0;
  for (let batch = 0; batch < BATCHES_MAX && !isStopped(); batch++) {
    const { rowCount } = await pool.query(
      `DELETE FROM plinth.webhook_deliveries WHERE id IN (
         SELECT id FROM plinth.webhook_deliveries WHERE status <> 'pending' AND ended_at < now() - make_interval(days => $1)
         ORDER BY ended_at LIMIT ${BATCH_MAX} FOR UPDATE SKIP LOCKED)`,
      [days],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < BATCH_MAX) break;
  }
  return deleted;
}
