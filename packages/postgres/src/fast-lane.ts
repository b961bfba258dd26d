// The fast lane: statements known to be short, pipelined over a few connections.
// In: SQL text and values. Out: rows of raw text. Never waits for a server that is away, never queues without a bound,
// and never runs a statement twice unless the server is known not to have begun it.
//
// A pipeline is a queue: what waits for a lock holds up all behind it, hence the short timeouts of these sessions and
// the second lane (tenant-scope.ts) for whatever meets them.
import { unavailable } from "./errors.ts";
import { LaneConnection, type LaneQuery, type LaneSettings, type RawResult } from "./lane-connection.ts";

export type FastLaneOptions = {
  readonly connectionString: string;
  readonly connections: number;
  readonly applicationName: string;
  /** Default 100. */
  readonly statementTimeoutMs?: number;
  /** Default 100. */
  readonly lockTimeoutMs?: number;
  /** Statements in flight over all connections, beyond which callers are refused. Default 10000. */
  readonly inFlightMax?: number;
  /** Prepared statements kept per connection (about 53 kB of backend memory each). Default 500. */
  readonly preparedMax?: number;
  readonly onConnectionLost?: (error: Error) => void;
};

export type FastQuery = LaneQuery & {
  /** Statements of one tenant share a connection, so that its prepared statements are held once. */
  readonly affinity?: string;
};

export type FastLane = {
  query(query: FastQuery): Promise<RawResult>;
  /** Resolves when every connection stands; rejects when one has not within the time. */
  ready(timeoutMs?: number): Promise<void>;
  /** Connections that can take a statement now, and statements in flight. */
  load(): { readonly open: number; readonly inFlight: number };
  /** Answers what is in flight, then closes. */
  close(): Promise<void>;
};

/** Above this many statements in flight on the tenant's own connection, the least busy one takes the next. */
const affinityDepthMax = 64;

export function createFastLane(options: FastLaneOptions): FastLane {
  const inFlightMax = options.inFlightMax ?? 10_000;
  const settings: LaneSettings = {
    connectionString: options.connectionString,
    applicationName: options.applicationName,
    statementTimeoutMs: options.statementTimeoutMs ?? 100,
    lockTimeoutMs: options.lockTimeoutMs ?? 100,
    preparedMax: options.preparedMax ?? 500,
    onLost: options.onConnectionLost ?? (() => {}),
  };
  if (!Number.isInteger(options.connections) || options.connections < 1) throw new Error("A lane needs a connection");
  const connections = Array.from({ length: options.connections }, () => new LaneConnection(settings));
  let inFlight = 0;
  let closed = false;

  const choose = (affinity: string | undefined): LaneConnection | null => {
    if (affinity !== undefined) {
      const own = connections[hashOf(affinity) % connections.length];
      if (own?.isOpen && own.inFlight < affinityDepthMax) return own;
    }
    let best: LaneConnection | null = null;
    for (const connection of connections) {
      if (connection.isOpen && (best === null || connection.inFlight < best.inFlight)) best = connection;
    }
    return best;
  };

  const query = async (request: FastQuery): Promise<RawResult> => {
    if (closed) throw unavailable("The service is stopping.");
    if (inFlight >= inFlightMax) throw unavailable("Too many requests are waiting for the database.");
    inFlight++;
    try {
      let connection = choose(request.affinity);
      // Right after the start nobody has connected yet and nothing says that the server is away: wait for the outcome.
      if (connection === null && connections.some((each) => each.isFirstAttempt)) {
        await Promise.race(connections.map((each) => each.firstAttempt));
        connection = choose(request.affinity);
      }
      if (connection === null) throw unavailable("The database is not reachable at the moment.");
      return await connection.run(request);
    } finally {
      inFlight--;
    }
  };

  return {
    query,
    async ready(timeoutMs = 5_000) {
      const until = performance.now() + timeoutMs;
      while (!connections.every((each) => each.isOpen)) {
        const cause = connections.find((each) => each.lastError !== null)?.lastError;
        if (performance.now() > until) throw unavailable("The database is not reachable at the moment.", cause);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    load: () => ({ open: connections.filter((each) => each.isOpen).length, inFlight }),
    async close() {
      closed = true;
      await Promise.all(connections.map((each) => each.close()));
    },
  };
}

/** FNV-1a over UTF-16 units: cheap and even enough to spread tenants over a handful of connections. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
