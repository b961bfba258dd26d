// Counts the events of a project that wait to be handed on. In: a client with the cell's role. Out: their number, and
// the time of the oldest. It counts to ten thousand at most.
import type { ClientBase, Pool } from "pg";

export interface WaitingEvents {
  /** Ten thousand if there are more. */
  readonly count: number;
  /** When the oldest was written; null if none waits. */
  readonly oldestAt: Date | null;
}

const COUNTED_MAX = 10_000;

/** The first by identity. It is the oldest, except among transactions that were open at the same time. */
const WAITING = `SELECT (SELECT count(*)::int FROM (SELECT 1 FROM plinth.outbox WHERE project_id = $1 LIMIT ${COUNTED_MAX}) o) AS count,
  (SELECT at FROM plinth.outbox WHERE project_id = $1 ORDER BY id LIMIT 1) AS "oldestAt"`;

export async function readWaitingEvents(client: ClientBase | Pool, projectId: string): Promise<WaitingEvents> {
  const { rows } = await client.query<WaitingEvents>(WAITING, [projectId]);
  return rows[0] ?? { count: 0, oldestAt: null };
}
