// One transaction on a pool. In: a pool and work. Out: the result, after the commit. It never returns a connection that
// is still in a transaction.
import type { Pool, PoolClient } from "pg";

export async function inTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const answer = await run(client);
    await client.query("COMMIT");
    return answer;
  } catch (error) {
    await client.query("ROLLBACK").catch((cause: unknown) => {
      broken = new Error("rollback failed", { cause });
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
