// Cuts connections whose server went silent. In: the clients of a pool. Out: nothing; the socket of a silent one is
// destroyed, so its statements fail, and whoever holds it gives its places back. It never cuts a connection whose server
// is known to work on a long statement. It samples, so a statement costs it nothing.
import type { ClientBase } from "pg";
import type { Probe } from "./probe.ts";

/** The server ends every statement within its timeout, so a connection that is silent for this much longer is dead. */
export const STALL_MARGIN_MS = 4_000;
/** The usual time for which a transaction can wait for its next statement: `idle_in_transaction_session_timeout`. */
export const IDLE_MS_MAX = 20_000;
const TICK_MS = 500;
/** For a statement without a timeout, and without a sign that the server works on it. */
const UNCONFIRMED_MS = 30_000;
/** Until then, the server is asked about it so often. */
const PROBES = 5;
/** A closed connection whose server doesn't close it too. */
const CLOSE_MS = 2_000;

export interface WatchdogOptions {
  /** The timeout of statements that don't have their own; null: they have none. */
  readonly statementTimeoutMs: number | null;
  /** The maximum time without a sign of the server's work, for statements without a timeout. Default 30000. */
  readonly unconfirmedMsMax?: number | undefined;
  /** Asks the server about statements without a timeout. */
  readonly probe: Probe;
  /** Whether somebody uses the connection. */
  readonly isLent: (client: ClientBase) => boolean;
}

export interface Watchdog {
  /** From now until the connection has ended. */
  watch(client: ClientBase): void;
  stop(): void;
}

/** pg's internal state; it depends on the version that the workspace pins. */
interface Internals {
  readonly processID: number | null;
  /** False while the client waits for the server. */
  readonly readyForQuery: boolean;
  /** "I" outside of a transaction, null before the first statement. */
  readonly _txStatus: string | null;
  readonly _ending: boolean;
  readonly connection: {
    readonly stream: { readonly bytesRead: number; destroy(error?: Error): void };
    on(event: "readyForQuery", listener: (message: { readonly status: string }) => void): void;
  };
}

/** What a connection waits for: the server's answer, its agreement to close, or the next statement of a transaction. */
type Expected = "answer" | "close" | "statement";

interface Watched {
  readonly client: ClientBase;
  /** The process id of its backend. */
  backend: number;
  expected: Expected | null;
  /** Since when it is expected and nothing has come. */
  sinceMs: number;
  bytesRead: number;
  /** At the last look. */
  isOverdue: boolean;
  probedAtMs: number;
  /** The pool's timeout of statements; null: none. */
  readonly poolMs: number | null;
  /** The session's; undefined: the pool's. */
  sessionMs: number | null | undefined;
  /** That of the current transaction; undefined: the session's. */
  transactionMs: number | null | undefined;
  /** For how long the current transaction can wait for its next statement. */
  idleMs: number;
}

const known = new WeakMap<ClientBase, Watched>();

export function createWatchdog({ statementTimeoutMs, probe, isLent, ...rest }: WatchdogOptions): Watchdog {
  const unconfirmedMs = rest.unconfirmedMsMax ?? UNCONFIRMED_MS;
  const probeMs = unconfirmedMs / PROBES;
  const clients = new Set<Watched>();
  let isLookingUp = false;
  let timer: NodeJS.Timeout | null = null;

  const tick = (): void => {
    const now = performance.now();
    const unlimited: Watched[] = [];
    for (const one of clients) {
      look(one, now);
      if (one.expected === null) continue;
      const waitedMs = now - one.sinceMs;
      // If this process was busy, an answer may have come that it hasn't read yet: it reads before the next look.
      const wasOverdue = one.isOverdue;
      one.isOverdue = waitedMs >= (limitOf(one) ?? unconfirmedMs);
      if (one.isOverdue && wasOverdue) cutSilent(one, waitedMs);
      else if (limitOf(one) === null && waitedMs >= probeMs && now - one.probedAtMs >= probeMs) unlimited.push(one);
    }
    if (unlimited.length > 0 && !isLookingUp) void lookUp(unlimited, now);
  };

  const cutSilent = (one: Watched, waitedMs: number): void => {
    cut(one.client, `${reasons[one.expected ?? "answer"]} for ${Math.round(waitedMs)} ms`);
    if (one.expected !== "answer") return;
    // The others of the pool took the same way, and each would cost its next user as much time.
    for (const { client } of clients) {
      if (client !== one.client && !isLent(client)) cut(client, "Another connection of the pool went silent");
    }
  };

  /** An answer of the server about a statement is a sign of life, like a part of its result. */
  const lookUp = async (unlimited: readonly Watched[], now: number): Promise<void> => {
    isLookingUp = true;
    for (const one of unlimited) one.probedAtMs = now;
    const since = unlimited.map(({ sinceMs }) => sinceMs);
    const working = await probe.working(unlimited.map(({ backend }) => backend));
    isLookingUp = false;
    for (const [at, one] of unlimited.entries()) {
      if (one.sinceMs === since[at] && working.has(one.backend)) one.sinceMs = now;
    }
  };

  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };

  return {
    watch(client) {
      const one = newWatched(client, statementTimeoutMs);
      known.set(client, one);
      clients.add(one);
      internalsOf(client).connection.on("readyForQuery", ({ status }) => {
        if (status === "I") endTransaction(one);
      });
      client.once("end", () => {
        clients.delete(one);
        if (clients.size === 0) stop();
      });
      timer ??= setInterval(tick, TICK_MS).unref();
    },
    stop,
  };
}

const reasons: Readonly<Record<Expected, string>> = {
  answer: "The database did not answer",
  close: "The database did not close the connection",
  statement: "A transaction was not continued",
};

/**
 * Notes another statement timeout of a session or of its transaction, which must be set with it. @param ms Null: none;
 * undefined: the usual one.
 */
export function noteTimeout(client: ClientBase, ms: number | null | undefined, scope: "session" | "transaction"): void {
  const one = known.get(client);
  if (one === undefined) return;
  if (scope === "session") one.sessionMs = ms;
  else one.transactionMs = ms;
}

/** Notes for how long the transaction can wait for its next statement, which must be set with it. */
export function noteIdleLimit(client: ClientBase, ms: number): void {
  const one = known.get(client);
  if (one !== undefined) one.idleMs = ms;
}

/** Notes which backend serves a connection, if the server announced another one. */
export function noteBackend(client: ClientBase, backend: number): void {
  const one = known.get(client);
  if (one !== undefined) one.backend = backend;
}

/** Ends a connection at once, without a word to its server. Its statements fail with a lost connection. */
export function cut(client: ClientBase, reason: string): void {
  internalsOf(client).connection.stream.destroy(Object.assign(new Error(reason), { code: "ECONNABORTED" }));
}

/** Whether it waits for nothing and is in no transaction. */
export function isIdle(client: ClientBase): boolean {
  return expectedOf(client) === null;
}

function newWatched(client: ClientBase, poolMs: number | null): Watched {
  return {
    client,
    backend: internalsOf(client).processID ?? 0,
    expected: null,
    sinceMs: 0,
    bytesRead: 0,
    isOverdue: false,
    probedAtMs: 0,
    poolMs,
    sessionMs: undefined,
    transactionMs: undefined,
    idleMs: IDLE_MS_MAX,
  };
}

function endTransaction(one: Watched): void {
  one.transactionMs = undefined;
  one.idleMs = IDLE_MS_MAX;
}

function look(one: Watched, now: number): void {
  const expected = expectedOf(one.client);
  const { bytesRead } = internalsOf(one.client).connection.stream;
  if (expected !== one.expected || bytesRead !== one.bytesRead) {
    one.sinceMs = now;
    one.isOverdue = false;
  }
  one.expected = expected;
  one.bytesRead = bytesRead;
}

function expectedOf(client: ClientBase): Expected | null {
  const { readyForQuery, _ending, _txStatus: status } = internalsOf(client);
  if (_ending) return "close";
  if (!readyForQuery) return "answer";
  return status === null || status === "I" ? null : "statement";
}

/** Null: only the server can tell. */
function limitOf({ expected, idleMs, transactionMs, sessionMs, poolMs }: Watched): number | null {
  if (expected === "close") return CLOSE_MS;
  if (expected === "statement") return idleMs + STALL_MARGIN_MS;
  const inSession = sessionMs === undefined ? poolMs : sessionMs;
  const timeoutMs = transactionMs === undefined ? inSession : transactionMs;
  return timeoutMs === null ? null : timeoutMs + STALL_MARGIN_MS;
}

function internalsOf(client: ClientBase): Internals {
  return client as unknown as Internals;
}
