// Ends the recording of changes that nobody follows, and deletes changes that are old or too many. In: the cell's
// tables. Out: the number of deleted changes. A subscriber that comes back for a deleted change is told to read
// everything again.
import type { Pool } from "pg";

/** Changes of one project that are kept, however recent they are. */
const ROWS_MAX = 100_000;
const BATCH = 10_000;

/** @param minutes How long changes are kept. */
export async function sweepChanges({
  pool,
  minutes,
}: {
  readonly pool: Pool;
  readonly minutes: number;
}): Promise<number> {
  await pool.query("DELETE FROM plinth.followed WHERE until < now()");
  let deleted = 0;
  for (const [condition, value] of [
    [OLD, minutes],
    [TOO_MANY, ROWS_MAX],
  ] as const) {
    for (let count = BATCH; count === BATCH; deleted += count) {
      const { rows } = await pool.query<{ deleted: number }>(deleteChanges(condition), [value]);
      count = rows[0]?.deleted ?? 0;
    }
  }
  return deleted;
}

const OLD = "c.at < now() - make_interval(mins => $1::integer)";
const TOO_MANY = "c.seq <= s.seq - $1::bigint";

/** A change without a number counts as the last one: it comes after everything that subscribers have received. */
function deleteChanges(condition: string): string {
  return `WITH old AS (
      SELECT c.id FROM plinth.changes c JOIN plinth.streams s ON s.project_id = c.project_id
      WHERE ${condition} ORDER BY c.id LIMIT ${BATCH} FOR UPDATE OF c SKIP LOCKED
    ), gone AS (
      DELETE FROM plinth.changes c USING old WHERE c.id = old.id RETURNING c.project_id, c.seq
    ), moved AS (
      UPDATE plinth.streams s SET
        seq = s.seq + CASE WHEN g.unnumbered THEN 1 ELSE 0 END,
        pruned_seq = CASE WHEN g.unnumbered THEN s.seq + 1 ELSE greatest(s.pruned_seq, g.last) END
      FROM (SELECT project_id, max(seq) AS last, bool_or(seq IS NULL) AS unnumbered FROM gone GROUP BY project_id) g
      WHERE s.project_id = g.project_id
    ) SELECT count(*)::int AS deleted FROM gone`;
}
