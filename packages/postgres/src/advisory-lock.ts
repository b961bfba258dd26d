// Runs work one process at a time, across all processes of a database. In: a name and work. Out: whether it ran. The
// lock belongs to a connection, so it is released if the process dies; statements that Postgres still runs for it keep
// it until they end.
import type { Pool, PoolClient } from "pg";

/** False, without running anything, if another process has the lock. */
export async function withLock(
  pool: Pool,
  name: string,
  work: (client: PoolClient) => Promise<void>,
): Promise<boolean> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    const { rows } = await client.query("SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS got", [name]);
    if (rows[0].got !== true) return false;
    try {
      await work(client);
    } catch (error) {
      // A connection in an unknown state is closed, which releases its lock.
      broken = error as Error;
      throw error;
    }
    await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [name]).catch((error: unknown) => {
      broken = error as Error;
    });
    return true;
  } finally {
    client.release(broken);
  }
}
