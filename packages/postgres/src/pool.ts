// An ordinary pool for migrations, stores, and everything that can wait. In: an address and a size. Out: a pg.Pool. A
// dying connection never ends the process, and nothing waits for a connection without a limit.
import pg from "pg";

export type PoolOptions = {
  readonly connectionString: string;
  readonly max: number;
  readonly applicationName: string;
  readonly statementTimeoutMs?: number;
  readonly lockTimeoutMs?: number;
  /** How long a caller waits for a free or a new connection. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** Called for every connection that dies while idle; the pool replaces it itself. */
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
  // If a connection dies during use, its current or next query fails. Without this listener, Node would also end the
  // process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => options.onIdleError?.(error));
  return pool;
}
