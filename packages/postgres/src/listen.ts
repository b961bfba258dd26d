// Notifications from Postgres. In: channels. Out: calls, again after every loss of the connection.
// Never promises delivery: what was sent while the connection was down is lost, so a listener must poll as well.
//
// A loop of our own over pg: postgres.js re-subscribes by itself, but when it was closed during an outage it went on
// reconnecting for ever, and it announced one reconnect several times.
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { quoteIdentifier } from "./identifier.ts";

export type ListenOptions = {
  readonly connectionString: string;
  readonly channels: readonly string[];
  readonly onNotify: (channel: string, payload: string) => void;
  /** The connection was lost and stands again: whatever was notified meanwhile has been missed. */
  readonly onReconnect?: () => void;
  readonly applicationName?: string;
  /** How often a silent connection is asked whether it lives; it has as long to answer. Default 5000. */
  readonly heartbeatMs?: number;
};

export type Listening = { close(): Promise<void> };

type Subscription = {
  /** Resolves, never rejects, when the connection is gone. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
};

const backoffMsFirst = 50;
const backoffMsMax = 1_000;
const closeMsMax = 1_000;

/** Resolves when all channels are listened to; rejects when the first connection fails. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const stopped = new AbortController();
  let subscription: Subscription | null = await subscribe(options);
  const keep = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await subscription?.lost;
      subscription = null;
      for (let attempt = 0; subscription === null && !stopped.signal.aborted; attempt++) {
        // Full jitter: replicas that lost the server together must not come back together.
        await pause(10 + Math.random() * Math.min(backoffMsMax, backoffMsFirst * 2 ** attempt), stopped.signal);
        if (!stopped.signal.aborted) subscription = await subscribe(options).catch(() => null);
      }
      if (stopped.signal.aborted) break;
      options.onReconnect?.();
    }
    await subscription?.close();
  };
  const kept = keep();
  return {
    async close() {
      stopped.abort();
      await subscription?.close();
      await kept;
    },
  };
}

async function subscribe(options: ListenOptions): Promise<Subscription> {
  const heartbeatMs = options.heartbeatMs ?? 5_000;
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: options.applicationName ?? "plinth listen",
    connectionTimeoutMillis: 3_000,
    query_timeout: heartbeatMs,
    keepAlive: true,
  });
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
  client.on("error", () => lose());
  client.on("end", () => lose());
  client.on("notification", ({ channel, payload }) => options.onNotify(channel, payload ?? ""));
  try {
    await client.connect();
    await client.query(options.channels.map((channel) => `LISTEN ${quoteIdentifier(channel)}`).join("; "));
  } catch (error) {
    destroy(client);
    throw error;
  }
  // A network that swallows packets closes nothing: only a question that stays unanswered tells.
  const heartbeat = setInterval(() => void client.query("SELECT 1").catch(() => lose()), heartbeatMs);
  heartbeat.unref();
  void lost.then(() => {
    clearInterval(heartbeat);
    destroy(client);
  });
  return {
    lost,
    async close() {
      clearInterval(heartbeat);
      await Promise.race([client.end().catch(() => {}), pause(closeMsMax)]);
      lose();
    },
  };
}

function destroy(client: pg.Client): void {
  client.end().catch(() => {});
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Waits, or less when the signal comes. */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
