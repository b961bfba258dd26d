// Finds out whether the server works on a statement that has no time limit, such as the build of an index. In: process
// ids of backends. Out: those that work. It uses a new connection each time: one that is silent can't say why.
import pg from "pg";
import { sqlState } from "./errors.ts";

export interface Probe {
  /** Never rejects: a server that doesn't answer works on nothing. */
  working(backends: readonly number[]): Promise<ReadonlySet<number>>;
}

/** A busy server takes long to open a connection. */
const MS_MAX = 10_000;

/** A backend that waits for its client has finished, or can't send its result. Without rights to see more, it works. */
const WORKING = `SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1)
  AND (state IS NULL OR state IN ('active', 'fastpath function call', 'disabled'))
  AND wait_event_type IS DISTINCT FROM 'Client'`;
const TOO_MANY_CONNECTIONS = "53300";

export function createProbe(connectionString: string, applicationName: string): Probe {
  return {
    async working(backends) {
      const client = new pg.Client({
        connectionString,
        application_name: `${applicationName} (probe)`,
        connectionTimeoutMillis: MS_MAX,
        query_timeout: MS_MAX,
      });
      client.on("error", () => {});
      try {
        await client.connect();
        const { rows } = await client.query<{ pid: number }>(WORKING, [backends]);
        return new Set(rows.map(({ pid }) => pid));
      } catch (error) {
        // The server is there, and too busy to be asked.
        return new Set(sqlState(error) === TOO_MANY_CONNECTIONS ? backends : []);
      } finally {
        client.end().catch(() => {});
      }
    },
  };
}
