// One pipelined connection of the fast lane, which reconnects itself. In: statements. Out: raw rows, or the server's
// error for that statement only. It never reuses the name of a prepared statement, so that a late reply about an
// evicted one can't be taken for its successor's.
import pg from "pg";
import { boundedQuery } from "./bounded-query.ts";
import { asFault, sqlState, unavailable } from "./errors.ts";
import { type RawResult, runOnLane } from "./lane-statement.ts";
import { type LaneWire, listenAsLane } from "./lane-wire.ts";
import { KEEP_ALIVE_MS } from "./pool.ts";
import { fastSessionSql } from "./session.ts";
import { STALL_MARGIN_MS } from "./watchdog.ts";

export type LaneQuery = {
  /** The name of a statement that will run again: it is prepared and kept. Null or absent: it runs once, unnamed. */
  readonly name?: string | null;
  readonly text: string;
  readonly values: readonly unknown[];
  /** The maximum size of the result in bytes; the statement fails with `ResultTooLarge` beyond it. Absent: no limit. */
  readonly bytesMax?: number;
  /** Default false. */
  readonly asBytes?: boolean;
};

/** `costMs`: how long the statement used its connection alone, as far as this process can tell. */
export type LaneResult = RawResult & { readonly costMs: number };

export type LaneSettings = {
  readonly connectionString: string;
  readonly applicationName: string;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  /** Statements of usual length that are kept prepared; fewer where they are longer. */
  readonly preparedMax: number;
  readonly onLost: (error: Error) => void;
};

/** The usual length of a statement, among the longer ones: a backend's memory for a statement grows with it. */
const PREPARED_CHARACTERS = 2_000;
const backoffMsFirst = 50;
const backoffMsMax = 2_000;
const connectTimeoutMs = 3_000;
/** For the statements that prepare a new connection, which the server answers at once. */
const prepareMsMax = 3_000;

const CLOSE_MS = 2_000;

export class LaneConnection {
  readonly firstAttempt: Promise<void>;
  isFirstAttempt = true;
  inFlight = 0;
  /** The expected cost of the statements in flight together, in ms. */
  expectedMs = 0;
  lastError: Error | null = null;
  readonly #settings: LaneSettings;
  readonly #watchdog: NodeJS.Timeout;
  #client: pg.Client | null = null;
  /** Text to server-side name, least recently used first. */
  #prepared = new Map<string, string>();
  #preparedCharacters = 0;
  #preparedCount = 0;
  #attempts = 0;
  #progressAt = 0;
  /** The value of `#progressAt` with which it was overdue at the last look; null: it was not. */
  #overdueSince: number | null = null;
  #closed = false;
  #gathering = false;
  #retry: NodeJS.Timeout | null = null;

  constructor(settings: LaneSettings) {
    this.#settings = settings;
    this.firstAttempt = this.#connect().finally(() => {
      this.isFirstAttempt = false;
    });
    this.#watchdog = setInterval(() => this.#cutWhenStalled(), 500);
    this.#watchdog.unref();
  }

  get isOpen(): boolean {
    return this.#client !== null;
  }

  /** An error also has the cost: `costOf`. */
  async run(query: LaneQuery): Promise<LaneResult> {
    try {
      return await this.#send(query);
    } catch (error) {
      // Both errors are raised before execution starts: the server has lost the statement (an earlier parse in the
      // pipeline failed), or a deployment has changed the shape of its result. A new name parses it again; once, to
      // avoid a loop.
      const state = sqlState(error);
      if (state === "26000" || (state === "0A000" && /cached plan/.test((error as Error).message))) {
        this.#forget(query.text);
        return await this.#send(query).catch((again: unknown) => {
          throw asFault(again);
        });
      }
      throw asFault(error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watchdog);
    if (this.#retry !== null) clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    // A server that receives everything but answers nothing doesn't close the connection either.
    const cut = setTimeout(() => connectionOf(client).stream.destroy(new Error("closed")), CLOSE_MS);
    await client.end().catch(() => {});
    clearTimeout(cut);
  }

  async #send(query: LaneQuery): Promise<LaneResult> {
    const client = this.#client;
    if (client === null) throw unavailable("The database can't be reached now.");
    const name = query.name == null ? "" : this.#nameOf(client, query.text);
    this.#gather(client);
    const sentAt = performance.now();
    if (this.inFlight++ === 0) this.#progressAt = sentAt;
    // In a pipeline, a statement starts when the previous one has been answered.
    const ended = (): number => {
      const now = performance.now();
      const costMs = now - Math.max(sentAt, this.#progressAt);
      this.inFlight--;
      this.#progressAt = now;
      return costMs;
    };
    try {
      const { text, values, bytesMax = Number.POSITIVE_INFINITY, asBytes = false } = query;
      const result = await runOnLane(client, { name, text, values, bytesMax, asBytes });
      return { ...result, costMs: ended() };
    } catch (error) {
      costs.set(error as object, ended());
      throw error;
    }
  }

  /**
   * All statements of one turn of the event loop are written at once: under load this halved the CPU per statement, and
   * an idle process reaches the end of its turn at once.
   */
  #gather(client: pg.Client): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const { stream } = connectionOf(client);
    stream.cork();
    setImmediate(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  #nameOf(client: pg.Client, text: string): string {
    const known = this.#prepared.get(text);
    if (known !== undefined) {
      this.#prepared.delete(text);
      this.#prepared.set(text, known);
      return known;
    }
    for (const [oldest, itsName] of this.#prepared) {
      if (this.#hasRoomFor(text)) break;
      this.#release(client, oldest, itsName);
    }
    const name = `s${(this.#preparedCount++).toString(36)}`;
    this.#prepared.set(text, name);
    this.#preparedCharacters += text.length;
    return name;
  }

  #hasRoomFor(text: string): boolean {
    const { preparedMax } = this.#settings;
    const characters = this.#preparedCharacters + text.length;
    return this.#prepared.size < preparedMax && characters <= preparedMax * PREPARED_CHARACTERS;
  }

  #forget(text: string): void {
    const name = this.#prepared.get(text);
    if (name !== undefined && this.#client !== null) this.#release(this.#client, text, name);
  }

  /** Frees the statement on the server, after everything that still uses it: a pipeline keeps the order. */
  #release(client: pg.Client, text: string, name: string): void {
    this.#prepared.delete(text);
    this.#preparedCharacters -= text.length;
    const forgetName = () => {
      const { parsedStatements, submittedNamedStatements } = connectionOf(client);
      delete parsedStatements[name];
      delete submittedNamedStatements[name];
    };
    client.query({ text: `DEALLOCATE ${name}`, queryMode: "extended" } as pg.QueryConfig).then(forgetName, forgetName);
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client({
      connectionString: this.#settings.connectionString,
      application_name: this.#settings.applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      pipeline: true,
    } as pg.ClientConfig);
    listenAsLane(client);
    client.on("error", (error) => this.#lose(client, error));
    client.on("end", () => this.#lose(client, new Error("The database closed the connection")));
    try {
      await client.connect();
      await client.query(boundedQuery({ text: fastSessionSql(this.#settings) }, prepareMsMax));
      if (this.#closed) return await client.end();
      this.#prepared = new Map();
      this.#preparedCharacters = 0;
      this.#attempts = 0;
      this.lastError = null;
      this.#client = client;
    } catch (error) {
      connectionOf(client).stream.destroy(error as Error);
      this.lastError = error as Error;
      this.#retryLater();
    }
  }

  #lose(client: pg.Client, error: Error): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.lastError = error;
    if (this.#closed) return;
    this.#settings.onLost(error);
    client.end().catch(() => {});
    this.#retryLater();
  }

  /** Full jitter: replicas that lost the server together must not reconnect together. */
  #retryLater(): void {
    if (this.#closed) return;
    const ceiling = Math.min(backoffMsMax, backoffMsFirst * 2 ** this.#attempts++);
    this.#retry = setTimeout(() => void this.#connect(), 10 + Math.random() * ceiling);
    this.#retry.unref();
  }

  #cutWhenStalled(): void {
    const client = this.#client;
    if (client === null || this.inFlight === 0) return;
    const limitMs = Math.max(this.#settings.statementTimeoutMs, this.#settings.lockTimeoutMs) + STALL_MARGIN_MS;
    if (performance.now() - this.#progressAt < limitMs) return;
    // If this process was busy, an answer may have come that it hasn't read yet: it reads before the next look.
    const wasOverdue = this.#overdueSince === this.#progressAt;
    this.#overdueSince = this.#progressAt;
    if (!wasOverdue) return;
    connectionOf(client).stream.destroy(
      Object.assign(new Error(`The database did not answer for ${limitMs} ms`), { code: "ECONNABORTED" }),
    );
  }
}

/** The cost of a failed statement, by its error. */
const costs = new WeakMap<object, number>();

export function costOf(error: unknown): number {
  const known = typeof error === "object" && error !== null ? costs.get(error) : undefined;
  if (known !== undefined) return known;
  return error instanceof Error && error.cause !== undefined ? costOf(error.cause) : 0;
}

/** Internal parts of pg's connection. */
function connectionOf(client: pg.Client): LaneWire {
  return (client as unknown as { readonly connection: LaneWire }).connection;
}
