// One at a time, over all processes that share a database. In: a name and work. Out: whether it ran.
// The lock belongs to a connection, so a process that dies lets go of it; what Postgres still runs for it keeps it until then.
import type { Pool, PoolClient } from "pg";

/** False, without having run anything, where somebody else has the lock. */
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
      // A connection whose state is in doubt is closed, and its lock with it.
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
