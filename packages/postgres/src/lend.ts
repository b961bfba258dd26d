// Lends a connection of a pool to one piece of work. In: a pool and work. Out: the result of the work. A piece of work
// ends with its connection at the latest, so a place never waits for something that a lost connection would have
// answered.
import type { ClientBase, Pool, PoolClient } from "pg";

/** Work whose connection is lost ends by itself with a better error, unless it waits for something else. */
const GRACE_MS = 1_000;

/** After an error, what was begun is rolled back, and the connection returns to the pool. */
export async function withClient<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await untilLost(client, work(client), GRACE_MS);
  } catch (error) {
    await client.query("ROLLBACK").catch((cause: unknown) => {
      broken = new Error("rollback failed", { cause });
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** For work that changes more than one transaction of its session: after an error, the connection is closed. */
export async function withSession<Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await untilLost(client, work(client), GRACE_MS);
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Rejects if the connection ends first. */
export function untilLost<Result>(client: ClientBase, work: Promise<Result>, graceMs = 0): Promise<Result> {
  return new Promise((resolve, reject) => {
    const lose = (): void => {
      setTimeout(() => reject(new Error("Connection terminated unexpectedly")), graceMs);
    };
    client.once("end", lose);
    work.then(resolve, reject).finally(() => client.off("end", lose));
    if ((client as unknown as { readonly _ended: boolean })._ended) lose();
  });
}
