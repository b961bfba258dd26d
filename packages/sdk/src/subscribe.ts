// Live changes of an entity's records. In: a function that opens the stream. Out: changes, also after lost connections:
// no change is repeated, and missed changes are sent later or reported as lost (`resync`).
import { ConnectionFailed, PlinthError } from "./errors.ts";
import { pause } from "./transport.ts";

export type Change<Item> =
  /** A read from now on includes everything before; changes continue from here. `resumed`: none was missed. */
  | { readonly type: "ready"; readonly resumed: boolean }
  | { readonly type: "created" | "updated"; readonly id: string; readonly record: Item }
  /** The record was deleted, or the caller can no longer see it, or it no longer matches. */
  | { readonly type: "gone"; readonly id: string }
  /** The records that the caller can see have changed: read them again. Changes continue from here. */
  | { readonly type: "resync" };

export interface SubscribeOptions<Where, Item> {
  /** Conditions on the record's own fields. */
  readonly where?: Where;
  /** The position of an earlier subscription: see `lastEventId`. */
  readonly lastEventId?: string;
  /** Ends the subscription, like `close`. */
  readonly signal?: AbortSignal;
  /** Called with each change, one after the other, instead of iterating. */
  readonly onChange?: (change: Change<Item>) => void | Promise<void>;
  /** With `onChange`: why the subscription ended, if nobody closed it. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Iterate over it, or pass `onChange`. It reconnects automatically; it ends with an error if the caller can't follow
 * (any more), and without one if it is closed.
 */
export interface Subscription<Item> extends AsyncIterable<Change<Item>> {
  readonly close: () => void;
  /** Store it to continue in another process; null before the first change. */
  readonly lastEventId: () => string | null;
}

/** @param lastEventId The position to continue from; null for a stream that starts now. */
export type OpenStream = (lastEventId: string | null, signal: AbortSignal) => Promise<Response>;

/** Three times the interval of the server's signs of life. */
const silenceMsMax = 45_000;
const backoffMsFirst = 500;
const backoffMsMax = 30_000;

export function createSubscription<Item>(
  open: OpenStream,
  { lastEventId, signal, onChange, onError }: Omit<SubscribeOptions<unknown, Item>, "where">,
): Subscription<Item> {
  const closed = new AbortController();
  let last = lastEventId ?? null;
  let retryMs = backoffMsFirst;
  const close = (): void => closed.abort();
  if (signal?.aborted === true) close();
  signal?.addEventListener("abort", close, { signal: closed.signal });

  async function* once(): AsyncGenerator<Change<Item>, void, undefined> {
    const cut = new AbortController();
    const stop = (): void => cut.abort();
    closed.signal.addEventListener("abort", stop);
    let watch = setTimeout(stop, silenceMsMax);
    try {
      const response = await open(last, cut.signal);
      const reader = response.body?.getReader();
      const decoder = new TextDecoder();
      let text = "";
      for (;;) {
        const part = await reader?.read();
        if (part === undefined || part.done) return;
        clearTimeout(watch);
        watch = setTimeout(stop, silenceMsMax);
        text += decoder.decode(part.value, { stream: true });
        for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
          const fields = fieldsOf(text.slice(0, end));
          text = text.slice(end + 2);
          const change = changeOf<Item>(fields);
          // A change counts as received when it is passed on; others are sent again.
          last = fields.id ?? last;
          if (fields.retry !== undefined) retryMs = Number(fields.retry) || backoffMsFirst;
          if (change !== null) yield change;
        }
      }
    } finally {
      clearTimeout(watch);
      closed.signal.removeEventListener("abort", stop);
      stop();
    }
  }

  async function* all(): AsyncGenerator<Change<Item>, void, undefined> {
    for (let attempt = 0; !closed.signal.aborted; attempt++) {
      try {
        for await (const change of once()) {
          attempt = 0;
          yield change;
          if (closed.signal.aborted) return;
        }
      } catch (error) {
        if (!closed.signal.aborted && !isPassing(error)) throw error;
      }
      await pause(Math.min(backoffMsMax, retryMs * 2 ** attempt) * (0.5 + Math.random() / 2), closed.signal);
    }
  }

  if (onChange !== undefined) {
    void (async () => {
      try {
        for await (const change of all()) await onChange(change);
      } catch (error) {
        onError?.(error);
      }
    })();
  }
  return {
    close,
    lastEventId: () => last,
    [Symbol.asyncIterator]: all,
  };
}

/** Whether another attempt may succeed. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof PlinthError)) return true;
  return error instanceof ConnectionFailed || error.status === 429 || error.status >= 500;
}

type Fields = Readonly<Record<string, string | undefined>>;

function fieldsOf(block: string): Fields {
  const lines = block.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line));
  return Object.fromEntries(lines.flatMap((found) => (found === null ? [] : [[found[1], found[2]]])));
}

function changeOf<Item>({ event, data }: Fields): Change<Item> | null {
  const given = data === undefined ? {} : JSON.parse(data);
  switch (event) {
    case "ready":
    case "created":
    case "updated":
    case "gone":
    case "resync":
      return { type: event, ...given };
    default:
      return null;
  }
}
