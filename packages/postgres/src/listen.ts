// Notifications from Postgres. In: channels. Out: calls, again after every loss of the connection. It never promises
// delivery: a notification during an outage is lost, so a listener must also poll. We wrote our own loop over pg:
// postgres.js re-subscribes itself, but when it was closed during an outage it kept reconnecting forever, and it
// announced one reconnect several times.
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { quoteIdentifier } from "./identifier.ts";
import { KEEP_ALIVE_MS } from "./pool.ts";

export type ListenOptions = {
  readonly connectionString: string;
  readonly channels: readonly string[];
  readonly onNotify: (channel: string, payload: string) => void;
  /** The connection was lost and is open again: notifications in between were missed. */
  readonly onReconnect?: () => void;
  readonly applicationName?: string;
  /** How often a silent connection is checked; it has the same time to answer. Default 5000. */
  readonly heartbeatMs?: number;
};

export type Listening = { close(): Promise<void> };

type Subscription = {
  /** Resolves when the connection is closed; never rejects. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
};

const backoffMsFirst = 50;
const backoffMsMax = 1_000;
const closeMsMax = 1_000;

/** Resolves when all channels are subscribed; rejects if the first connection fails. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const stopped = new AbortController();
  let subscription: Subscription | null = await subscribe(options);
  const keep = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await subscription?.lost;
      subscription = null;
      for (let attempt = 0; subscription === null && !stopped.signal.aborted; attempt++) {
        // Full jitter: replicas that lost the server together must not reconnect together.
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
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
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
  // A network that drops packets closes nothing: only an unanswered query shows it.
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

/** Waits; ends earlier if the signal fires. */
async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
