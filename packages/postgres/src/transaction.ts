// One transaction, on a pool or on a client. In: the pool or the client, and work. Out: the result, after the commit. A pool
// never gets a connection back that is still in a transaction.
import type { ClientBase, Pool, PoolClient } from "pg";
import { withClient } from "./lend.ts";

export function inTransaction<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await client.query("BEGIN");
    const answer = await run(client);
    await client.query("COMMIT");
    return answer;
  });
}

/** On a client that the caller holds, outside of a transaction. */
export async function inTransactionOf<T>(client: ClientBase, run: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  try {
    const answer = await run();
    await client.query("COMMIT");
    return answer;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}
