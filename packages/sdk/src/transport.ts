// One call over HTTP. In: method, path, query, body, and the caller's headers. Out: the parsed body of the reply. It
// only retries calls that are safe to repeat, and writes only with an idempotency key.
import { ConnectionFailed, errorOf, type PlinthError } from "./errors.ts";

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the call and its retries. */
  readonly signal?: AbortSignal;
  /** With it, the call takes effect once, however often it is made. */
  readonly idempotencyKey?: string;
  /** The call changes nothing, although it is a POST. */
  readonly isSafe?: true;
}

export interface TransportSettings {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export type Transport = (call: Call, headers?: Readonly<Record<string, string>>) => Promise<unknown>;

const retriesMax = 2;
const waitMsMax = 10_000;

/** Opens a reply that is read as it arrives. @throws PlinthError if it is unsuccessful. */
export type Opener = (
  call: Pick<Call, "path" | "query">,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Response>;

export function createOpener({ baseUrl, fetch, headers: own }: TransportSettings): Opener {
  return async ({ path, query }, headers, signal) => {
    const url = `${baseUrl}${path}?${query ?? ""}`;
    const response = await fetch(url, { headers: { ...own, ...headers }, signal }).catch((cause) => {
      throw new ConnectionFailed(cause);
    });
    if (response.ok) return response;
    throw await errorOf(response);
  };
}

export function createTransport(settings: TransportSettings): Transport {
  return (call, headers = {}) =>
    endedBy(call.signal, async () => {
      for (let attempt = 0; ; attempt++) {
        const outcome = await send(settings, call, headers);
        if (!(outcome instanceof Failure)) return outcome.body;
        const wait = waitMs(outcome, attempt);
        const isRepeatable = call.method === "GET" || call.isSafe === true || call.idempotencyKey !== undefined;
        if (!isRepeatable || attempt >= retriesMax || wait === null) throw outcome.error;
        await pause(wait, call.signal);
        call.signal?.throwIfAborted();
      }
    });
}

/** Runs a call. If the signal is aborted, it rejects at once with the signal's reason, as `fetch` does. */
export function endedBy<Reply>(signal: AbortSignal | undefined, ask: () => Promise<Reply>): Promise<Reply> {
  if (signal === undefined) return ask();
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) return end();
    signal.addEventListener("abort", end);
    ask()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", end));
  });
}

/** Ends early if the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted === true) end();
  });
}

class Failure {
  readonly error: PlinthError;
  readonly retryAfter: string | null;

  constructor(error: PlinthError, retryAfter: string | null) {
    this.error = error;
    this.retryAfter = retryAfter;
  }
}

async function send(
  { baseUrl, fetch, headers, timeoutMs }: TransportSettings,
  { method, path, query, body, headers: own, signal, idempotencyKey }: Call,
  more: Readonly<Record<string, string>>,
): Promise<Failure | { readonly body: unknown }> {
  const search = query === undefined || query.size === 0 ? "" : `?${query}`;
  const once = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  const init: RequestInit = {
    method,
    headers: { ...headers, ...more, ...own, ...once },
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]),
  };
  if (body !== undefined) {
    init.headers = { ...init.headers, "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  try {
    const response = await fetch(`${baseUrl}${path}${search}`, init);
    if (!response.ok) return new Failure(await errorOf(response), response.headers.get("retry-after"));
    if (response.status === 204) return { body: undefined };
    return { body: await response.json() };
  } catch (cause) {
    return new Failure(new ConnectionFailed(cause), null);
  }
}

/** The wait before the next attempt; null if another one is pointless. */
function waitMs({ error, retryAfter }: Failure, attempt: number): number | null {
  // The connection of an earlier attempt was lost, and the server may still be working on it.
  // Others were faster, and the same request can succeed now.
  const isBehindOthers = error.code === "idempotency_in_flight" || (error.code === "conflict" && retryAfter !== null);
  if (![0, 429, 503].includes(error.status) && !isBehindOthers) return null;
  // Jitter, so that clients that lost the connection together don't reconnect together.
  const backoff = 200 * 2 ** attempt * (0.5 + Math.random());
  if (retryAfter === null) return backoff;
  const asked = Number(retryAfter) * 1000 || Date.parse(retryAfter) - Date.now();
  if (!(asked >= 0)) return backoff;
  return asked <= waitMsMax ? Math.max(asked, backoff) : null;
}
