// Runs work one process at a time, across all processes of a database. In: a name and work. Out: whether it ran. The
// lock belongs to a connection, so it is released if the process dies, or if the connection is lost: the work must then
// stop. Statements that Postgres still runs for the connection keep the lock until they end.
import type { ClientBase, Pool, PoolClient } from "pg";
import { withSession } from "./lend.ts";
import { cut, isIdle, noteTimeout } from "./watchdog.ts";

/** How often the connection is checked while the work uses others. */
const CHECK_MS = 3_000;
/** For the answer to a check. */
const CHECK_MS_MAX = 1_000;
/** The server ends a session that isn't checked, long after this process has noticed that it is cut off. */
const UNCHECKED_MS_MAX = 30_000;

/**
 * False, without running anything, if another process has the lock. @param work On other connections than `client`, it
 * must stop when `lost` is aborted: from then on, another process can have the lock.
 */
export function withLock(
  pool: Pool,
  name: string,
  work: (client: PoolClient, lost: AbortSignal) => Promise<void>,
): Promise<boolean> {
  return withSession(pool, async (client) => {
    const { rows } = await client.query("SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS got", [name]);
    if (rows[0].got !== true) return false;
    await client.query(`SET idle_session_timeout = ${UNCHECKED_MS_MAX}`);
    const lost = new AbortController();
    const lose = (): void => lost.abort(new Error(`The lock "${name}" was lost with its connection`));
    client.once("end", lose);
    const checks = setInterval(() => check(client), CHECK_MS);
    try {
      await work(client, lost.signal);
    } finally {
      clearInterval(checks);
      client.off("end", lose);
    }
    await unlock(client, name).catch(() => cut(client, "It may still have a lock"));
    return true;
  });
}

async function unlock(client: ClientBase, name: string): Promise<void> {
  await client.query("RESET idle_session_timeout");
  await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [name]);
}

/** Only between two transactions: inside one, and during a statement, there are other limits. */
function check(client: ClientBase): void {
  if (!isIdle(client)) return;
  noteTimeout(client, CHECK_MS_MAX, "transaction");
  client.query("SELECT 1").catch(() => {});
}
