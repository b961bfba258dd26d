// Runs one piece of work at a time for each project: releases and other changes of a schema. In: a project and work.
// Out: whether it ran.
import { withLock } from "@plinth/postgres";
import type { Pool, PoolClient } from "pg";

/** False, without having run anything, if somebody else has the lock. */
export function withProjectLock(
  pool: Pool,
  projectId: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  return withLock(pool, `plinth.migrate/${projectId}`, work);
}
