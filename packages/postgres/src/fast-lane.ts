// The fast lane: statements that are known to be short, pipelined over a few connections that projects share fairly.
// In: SQL text and values. Out: rows of raw text. It never waits for a server that is away, never queues without a
// limit, and never runs a statement twice unless the server certainly has not started it. A pipeline is a queue: a long
// statement holds up everything behind it. Hence the short timeouts of these sessions, the few milliseconds of work
// that a connection gets in advance, and the second lane (tenant-scope.ts) for longer statements.
import { FairShare } from "@plinth/service";
import { unavailable } from "./errors.ts";
import { costOf, LaneConnection, type LaneQuery, type LaneResult, type LaneSettings } from "./lane-connection.ts";
import { createTrialLane, type TrialLane } from "./trial-lane.ts";

export type FastLaneOptions = {
  readonly connectionString: string;
  readonly connections: number;
  /**
   * Additional connections, only for writes: a commit waits for the disk, and reads should not wait behind it. Default
   * 0: all share the others.
   */
  readonly writeConnections?: number;
  readonly applicationName: string;
  /** Default 100. */
  readonly statementTimeoutMs?: number;
  /**
   * A statement that waits for a lock holds up other projects' statements behind it in the pipeline, so it continues to
   * wait in the slow lane. Locks that last only until a commit is flushed end sooner. Default 15.
   */
  readonly lockTimeoutMs?: number;
  /** Maximum number of statements in flight and waiting; callers beyond it are refused. Default 10000. */
  readonly inFlightMax?: number;
  /**
   * Maximum number of statements of one project on the server at once; more of them wait for their turn. Default 48.
   */
  readonly inFlightPerProject?: number;
  /** Maximum number of waiting statements of one project; callers beyond it are refused. Default 1000. */
  readonly waitingPerProject?: number;
  /**
   * Maximum number of prepared statements per connection (about 50 kB of backend memory each); fewer if they are long.
   * Planning one again costs the backend about as much as running it. Default 1000.
   */
  readonly preparedMax?: number;
  readonly onConnectionLost?: (error: Error) => void;
};

export type FastQuery = LaneQuery & {
  /** The project of the statement. */
  readonly project: string;
  /** Its expected cost, in ms. Default 0.5. */
  readonly expectedMs?: number;
  /**
   * Reads of a project share a connection, and so its prepared statements. Postgres flushes several connections at
   * once, so writes are spread, unless another project was active recently.
   */
  readonly writes?: boolean;
  /**
   * Called when its turn has come, because earlier ones may have met a lock that it would also wait for. Default: it is
   * still wanted.
   */
  readonly isWanted?: () => boolean;
};

/** Its caller no longer wanted it when its turn came; it was not run. */
export class NoLongerWanted extends Error {
  constructor() {
    super("A statement waited for the fast lane and was cancelled");
    this.name = "NoLongerWanted";
  }
}

export type FastLane = {
  /** @throws NoLongerWanted, and the statement's own error */
  query(query: FastQuery): Promise<LaneResult>;
  /** For a statement that has not yet proven that it is short. */
  readonly tryOut: TrialLane["run"];
  /** Resolves when every connection is open; rejects if one is not open in time. */
  ready(timeoutMs?: number): Promise<void>;
  /** Connections that can take a statement now, and statements in flight. */
  load(): { readonly open: number; readonly inFlight: number };
  /** Whether reads and writes have an open connection. */
  hasPlaces(): boolean;
  /** Answers what is in flight, then closes. */
  close(): Promise<void>;
};

/** A connection gets this many ms of work in advance, or a few statements, whichever is more. */
const AHEAD_MS = 4;
const AHEAD_MIN = 2;
const EXPECTED_MS = 0.5;
/** For this long after two projects took turns, each keeps to its own connection. */
const SHARED_MS = 1_000;
/** No statement waits longer for its turn. */
const WAIT_MS_MAX = 5_000;

type Waiting = {
  readonly query: FastQuery;
  readonly since: number;
  /** Sends it at once, so that the next choice of a connection includes it. */
  readonly start: (connection: LaneConnection) => void;
  readonly refuse: (error: Error) => void;
};

export function createFastLane(options: FastLaneOptions): FastLane {
  const { inFlightMax = 10_000, inFlightPerProject = 48, waitingPerProject = 1_000 } = options;
  const settings: LaneSettings = {
    connectionString: options.connectionString,
    applicationName: options.applicationName,
    statementTimeoutMs: options.statementTimeoutMs ?? 100,
    lockTimeoutMs: options.lockTimeoutMs ?? 15,
    preparedMax: options.preparedMax ?? 1_000,
    onLost: options.onConnectionLost ?? (() => {}),
  };
  if (!Number.isInteger(options.connections) || options.connections < 1) throw new Error("A lane needs a connection");
  const trials = createTrialLane(settings);
  const open = (length: number) => Array.from({ length }, () => new LaneConnection(settings));
  const readers = open(options.connections);
  const writers = options.writeConnections === undefined ? readers : open(options.writeConnections);
  const connections = [...new Set([...readers, ...writers])];
  const share = new FairShare<Waiting>();
  const ofProject = new Map<string, number>();
  const writesOf = new Map<string, number>();
  let inFlight = 0;
  let closed = false;
  let lastProject: string | null = null;
  let sharedAtMs = Number.NEGATIVE_INFINITY;

  const isShared = (): boolean => performance.now() - sharedAtMs < SHARED_MS;
  const anyOpen = (): boolean => connections.some((each) => each.isOpen);

  /** Null: none has room now, or none is open. */
  const choose = ({ project, writes }: FastQuery): LaneConnection | null => {
    const under = ofProject.get(project) ?? 0;
    if (under >= inFlightPerProject) return null;
    // Each of them can meet a lock, and everything behind would wait for each in turn.
    if (writes === true && isShared() && (writesOf.get(project) ?? 0) >= AHEAD_MIN) return null;
    const candidates = writes === true ? writers : readers;
    if (writes !== true || isShared()) {
      const own = candidates[hashOf(project) % candidates.length];
      if (own?.isOpen && hasRoom(own)) return own;
      // If others fill it, a few statements can use another connection. A project that fills it alone does not spread.
      if (own?.isOpen && under >= AHEAD_MIN) return null;
    }
    let best: LaneConnection | null = null;
    for (const connection of candidates) {
      if (!connection.isOpen || !hasRoom(connection)) continue;
      if (best === null || connection.inFlight < best.inFlight) best = connection;
    }
    return best;
  };

  const send = async (connection: LaneConnection, query: FastQuery): Promise<LaneResult> => {
    const { project, expectedMs = EXPECTED_MS, writes } = query;
    add(ofProject, project, 1);
    if (writes === true) add(writesOf, project, 1);
    connection.expectedMs += expectedMs;
    let costMs = 0;
    let hasFailed = false;
    try {
      const result = await connection.run(query);
      costMs = result.costMs;
      return result;
    } catch (error) {
      costMs = costOf(error);
      hasFailed = true;
      throw error;
    } finally {
      add(ofProject, project, -1);
      if (writes === true) add(writesOf, project, -1);
      connection.expectedMs = connection.inFlight === 0 ? 0 : connection.expectedMs - expectedMs;
      share.charge(project, costMs);
      // A caller that learns of a failure first may no longer want what waits.
      if (share.size > 0 && hasFailed) setImmediate(startWaiting);
      else if (share.size > 0) startWaiting();
    }
  };

  const startWaiting = (): void => {
    for (;;) {
      let connection: LaneConnection | null = null;
      const next = share.next((_, first) => {
        connection = choose(first.query);
        return connection !== null;
      });
      if (next === null) break;
      // The last project that was asked need not be the chosen one.
      connection = choose(next.query);
      if (connection !== null) next.start(connection);
    }
    if (share.size > 0 && !anyOpen()) refuseAll();
  };

  const refuseAll = (): void => {
    for (let next = share.next(() => true); next !== null; next = share.next(() => true)) next.refuse(away());
  };

  const wait = (query: FastQuery): Promise<LaneResult> => {
    if (share.waitingOf(query.project) >= waitingPerProject) {
      throw unavailable("Too many requests of this project are waiting for the database.");
    }
    return new Promise((resolve, refuse) => {
      const start = (connection: LaneConnection): void => {
        if (query.isWanted?.() === false) refuse(new NoLongerWanted());
        else send(connection, query).then(resolve, refuse);
      };
      share.push(query.project, { query, since: performance.now(), start, refuse });
    });
  };

  // Nothing in flight may end later and handle the waiting ones: a lost connection ends everything at once.
  const sweep = setInterval(() => {
    if (share.size === 0) return;
    const late = performance.now() - WAIT_MS_MAX;
    for (;;) {
      const next = share.next((_, first) => first.since < late);
      if (next === null) break;
      next.refuse(unavailable("Too many requests of this project are waiting for the database."));
    }
    startWaiting();
  }, 250);
  sweep.unref();

  const query = async (request: FastQuery): Promise<LaneResult> => {
    if (closed) throw unavailable("The service is stopping.");
    if (inFlight >= inFlightMax) throw unavailable("Too many requests are waiting for the database.");
    inFlight++;
    if (lastProject !== null && lastProject !== request.project) sharedAtMs = performance.now();
    lastProject = request.project;
    try {
      // Directly after the start, no connection is open yet and nothing shows that the server is away, so wait for the
      // outcome.
      if (!anyOpen()) {
        if (!connections.some((each) => each.isFirstAttempt)) throw away();
        await Promise.race(connections.map((each) => each.firstAttempt));
        if (!anyOpen()) throw away();
      }
      const connection = share.waitingOf(request.project) > 0 ? null : choose(request);
      return await (connection === null ? wait(request) : send(connection, request));
    } finally {
      inFlight--;
    }
  };

  return {
    query,
    tryOut: trials.run,
    async ready(timeoutMs = 5_000) {
      const until = performance.now() + timeoutMs;
      while (!connections.every((each) => each.isOpen)) {
        const cause = connections.find((each) => each.lastError !== null)?.lastError;
        if (performance.now() > until) throw unavailable("The database can't be reached now.", cause);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    hasPlaces: () => [readers, writers].every((some) => some.some((each) => each.isOpen)),
    load: () => ({ open: connections.filter((each) => each.isOpen).length, inFlight }),
    async close() {
      closed = true;
      while (share.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      clearInterval(sweep);
      await Promise.all([trials, ...connections].map((each) => each.close()));
    },
  };
}

function hasRoom({ inFlight, expectedMs }: LaneConnection): boolean {
  return inFlight < AHEAD_MIN || expectedMs < AHEAD_MS;
}

function add(counts: Map<string, number>, project: string, change: number): void {
  const count = (counts.get(project) ?? 0) + change;
  if (count === 0) counts.delete(project);
  else counts.set(project, count);
}

function away(): Error {
  return unavailable("The database can't be reached now.");
}

/** FNV-1a over UTF-16 units: cheap and even enough to spread tenants over a handful of connections. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
