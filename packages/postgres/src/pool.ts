// An ordinary pool for migrations, stores, and everything that can wait. In: an address and a size. Out: a pg.Pool. A
// dying connection never ends the process, and nothing waits for a connection without a limit: neither its user for an
// answer of a silent server, nor the next one for a place, nor a stop for those who still use one.
import pg, { type PoolClient } from "pg";
import { createProbe } from "./probe.ts";
import { prepareSession } from "./session.ts";
import { createWatchdog, cut, noteBackend, type Watchdog } from "./watchdog.ts";

export type PoolOptions = {
  readonly connectionString: string;
  readonly max: number;
  readonly applicationName: string;
  /**
   * For statements that don't set their own (`limitStatements`). Default: none. A silent connection is then cut only if
   * the server doesn't work on its statement.
   */
  readonly statementTimeoutMs?: number;
  /** The maximum time without a sign of the server's work, for statements without a timeout. Default 30000. */
  readonly unconfirmedMsMax?: number;
  readonly lockTimeoutMs?: number;
  /** How long a caller waits for a free or a new connection. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** Called for every connection that dies while idle; the pool replaces it itself. */
  readonly onIdleError?: (error: Error) => void;
};

/** `keepAlive` of a connection: the first packet is sent after this much silence. The system's default is two hours. */
export const KEEP_ALIVE_MS = 10_000;
/** When the pool is closed, its users have this long to finish. */
const END_MS_MAX = 5_000;

export function createPool(options: PoolOptions): Pool {
  const pool = new Pool(options);
  // If a connection dies during use, its current or next query fails. Without this listener, Node would also end the
  // process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", (error) => options.onIdleError?.(error));
  return pool;
}

export class Pool extends pg.Pool {
  readonly #lent = new Set<PoolClient>();
  readonly #watchdog: Watchdog;
  /** Since when all connections are in use, and none has come back. */
  #fullSinceMs: number | null = null;

  constructor({ connectionString, applicationName, statementTimeoutMs, lockTimeoutMs, ...options }: PoolOptions) {
    super({
      connectionString,
      max: options.max,
      application_name: applicationName,
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      verify: (client, done) => void prepare(client).then(() => done(), done),
      ...(statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs }),
      ...(lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }),
    });
    this.#watchdog = createWatchdog({
      statementTimeoutMs: statementTimeoutMs ?? null,
      unconfirmedMsMax: options.unconfirmedMsMax,
      probe: createProbe(connectionString, applicationName),
      isLent: (client) => this.#lent.has(client as PoolClient),
    });
    this.on("connect", (client) => this.#watchdog.watch(client));
    this.on("acquire", (client) => {
      this.#lent.add(client);
      if (this.#lent.size >= options.max) this.#fullSinceMs = performance.now();
    });
    this.on("release", (_, client) => {
      this.#lent.delete(client);
      this.#fullSinceMs = null;
    });
  }

  /** How long all connections have been in use without one that came back; 0 if one is free. */
  stalledMs(): number {
    return this.#fullSinceMs === null ? 0 : performance.now() - this.#fullSinceMs;
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    const ended = this.endWithin(END_MS_MAX);
    if (callback === undefined) return ended;
    void ended.then(callback);
    return undefined;
  }

  /** Closes it. Those who still use a connection after this time lose it. */
  async endWithin(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([super.end(), late]);
    clearTimeout(timer);
    for (const client of this.#lent) cut(client, "The pool is closed");
    this.#watchdog.stop();
  }
}

async function prepare(client: PoolClient): Promise<void> {
  noteBackend(client, await prepareSession(client));
}
