// An ordinary pool: for migrations, stores, and whatever may wait. In: where and how many. Out: a pg.Pool.
// Never lets a connection's death take the process down, and never waits for a connection without a limit.
import pg from "pg";

export type PoolOptions = {
  readonly connectionString: string;
  readonly max: number;
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /** How long a caller waits for a free or a new connection. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** Told of every connection that dies while idle; the pool replaces it by itself. */
  readonly onIdleError?: (error: Error) => void;
};

export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    keepAlive: true,
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
  });
  // A connection that dies while it is held fails the query that runs on it, or the next one. Node would end the process besides.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => options.onIdleError?.(error));
  return pool;
}
