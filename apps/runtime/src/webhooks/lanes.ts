// The claimed deliveries of a process: a lane for each endpoint, with a limited number of concurrent calls. In: claims.
// Out: attempts, in the order of the claims. If an endpoint fails, the waiting claims in its lane are dropped. They
// stay due, and are claimed again more slowly.
import { type Claim, HELD_PER_ENDPOINT, type HeldLane } from "./claim.ts";

export interface CallEnd {
  readonly succeeded: boolean;
  /** Until its outcome is in the database. It does not reject. */
  readonly recorded: Promise<void>;
}

interface LanesOptions {
  /** Resolves when the call has ended. It does not reject. */
  readonly attempt: (claim: Claim) => Promise<CallEnd>;
  /** Called when there is room for more claims. */
  readonly onFree: () => void;
}

export interface Lanes {
  add(claims: readonly Claim[]): void;
  /** The current claims, until their outcomes are recorded. */
  held(): {
    readonly lanes: readonly HeldLane[];
    readonly ids: readonly string[];
    readonly healthy: number;
    readonly doubtful: number;
  };
  /** Endpoints without claims, once each. */
  takeIdle(): readonly string[];
  /** Starts nothing more, and resolves when the calls in progress have ended. */
  stop(): Promise<void>;
}

interface Waiting {
  readonly claim: Claim;
  readonly sinceMs: number;
}

/** The maximum age of a claim's data about its endpoint, such as the URL, when a call begins. */
const WAIT_MS_MAX = 5_000;

interface Lane {
  readonly endpoint: string;
  readonly project: string;
  /** From its newest claims. */
  doubtful: boolean;
  concurrency: number;
  readonly waiting: Waiting[];
  calls: number;
  /** Claims until their outcome is recorded, including those that wait. */
  readonly claims: Set<Claim>;
  /** Failures of its endpoint that are not in the database yet. */
  failures: number;
}

export function createLanes({ attempt, onFree }: LanesOptions): Lanes {
  const lanes = new Map<string, Lane>();
  const idle = new Set<string>();
  const underWay = new Set<Promise<void>>();

  function laneOf({ endpoint, project_id: project, doubtful, concurrency }: Claim): Lane {
    const known = lanes.get(endpoint.id);
    if (known !== undefined) return known;
    const lane: Lane = {
      endpoint: endpoint.id,
      project,
      doubtful,
      concurrency,
      waiting: [],
      calls: 0,
      claims: new Set(),
      failures: 0,
    };
    lanes.set(lane.endpoint, lane);
    return lane;
  }

  function startNext(lane: Lane): void {
    const [first] = lane.waiting;
    if (first !== undefined && performance.now() - first.sinceMs > WAIT_MS_MAX) dropWaiting(lane);
    while (lane.calls < lane.concurrency) {
      const next = lane.waiting.shift();
      if (next === undefined) return;
      lane.calls++;
      const work = run(lane, next.claim);
      underWay.add(work);
      void work.then(() => {
        underWay.delete(work);
        if (lane.doubtful || lane.waiting.length <= HELD_PER_ENDPOINT / 2) onFree();
      });
    }
  }

  async function run(lane: Lane, claim: Claim): Promise<void> {
    const { succeeded, recorded } = await attempt(claim);
    lane.calls--;
    if (!succeeded) {
      lane.failures++;
      dropWaiting(lane);
    }
    startNext(lane);
    await recorded;
    if (!succeeded) lane.failures--;
    lane.claims.delete(claim);
    if (lane.claims.size > 0) return;
    lanes.delete(lane.endpoint);
    idle.add(lane.endpoint);
  }

  return {
    add(claims) {
      const added = new Set<Lane>();
      const sinceMs = performance.now();
      for (const claim of claims) {
        const lane = laneOf(claim);
        lane.doubtful = claim.doubtful;
        lane.concurrency = claim.concurrency;
        lane.waiting.push({ claim, sinceMs });
        lane.claims.add(claim);
        added.add(lane);
      }
      for (const lane of added) startNext(lane);
    },
    held() {
      const all = [...lanes.values()];
      const count = (isDoubtful: boolean): number =>
        all.reduce((sum, { doubtful, claims }) => sum + (doubtful === isDoubtful ? claims.size : 0), 0);
      return {
        // An endpoint that has just failed gets no more claims before that is recorded.
        lanes: all.map(({ endpoint, project, doubtful, claims, failures }) => ({
          endpoint,
          project,
          doubtful,
          n: failures > 0 ? HELD_PER_ENDPOINT : claims.size,
        })),
        ids: all.flatMap(({ claims }) => [...claims].map(({ id }) => id)),
        healthy: count(false),
        doubtful: count(true),
      };
    },
    takeIdle() {
      const endpoints = [...idle].filter((endpoint) => !lanes.has(endpoint));
      idle.clear();
      return endpoints;
    },
    async stop() {
      for (const lane of lanes.values()) dropWaiting(lane);
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function dropWaiting(lane: Lane): void {
  for (const { claim } of lane.waiting.splice(0)) lane.claims.delete(claim);
}
