// What a process has claimed, on its way: a lane for each endpoint, with so many calls at once. In: claims. Out: attempts, in the order
// in which they were claimed. What waits in a lane is given back where its endpoint fails, since it is asked more slowly from then on, and
// where it has waited so long that its lease is about to end.
import { type Claim, LEASE_MS, PER_ENDPOINT } from "./claim.ts";

export interface CallEnd {
  readonly succeeded: boolean;
  /** Until its outcome is in the database. It does not reject. */
  readonly recorded: Promise<void>;
}

interface LanesOptions {
  /** Resolves when the call has ended. It does not reject. */
  readonly attempt: (claim: Claim) => Promise<CallEnd>;
  /** It does not reject. */
  readonly release: (claims: readonly Claim[]) => Promise<void>;
  /** There is room for more claims. */
  readonly onFree: () => void;
}

export interface Lanes {
  add(claims: readonly Claim[]): void;
  /** How many claims there are, until their outcome is recorded. */
  held(): { readonly healthy: number; readonly doubtful: number };
  /** Begins nothing more, gives back what waits, and resolves when what is under way has ended. */
  stop(): Promise<void>;
}

interface Waiting {
  readonly claim: Claim;
  readonly sinceMs: number;
}

interface Lane {
  readonly waiting: Waiting[];
  calls: number;
}

/** A claim that has waited for so long is given back, so that its lease doesn't end while it waits. */
const WAIT_MS_MAX = LEASE_MS / 3;

export function createLanes({ attempt, release, onFree }: LanesOptions): Lanes {
  const lanes = new Map<string, Lane>();
  const underWay = new Set<Promise<void>>();
  const held = { healthy: 0, doubtful: 0 };

  function track(work: Promise<void>): void {
    underWay.add(work);
    void work.then(() => {
      underWay.delete(work);
      onFree();
    });
  }

  function startNext(id: string, lane: Lane): void {
    const [first] = lane.waiting;
    if (first !== undefined && performance.now() - first.sinceMs > WAIT_MS_MAX) track(giveBack(takeAll(lane)));
    while (lane.calls < PER_ENDPOINT) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      lane.calls++;
      track(run(id, lane, next.claim));
    }
    if (lane.calls === 0) lanes.delete(id);
  }

  async function run(id: string, lane: Lane, claim: Claim): Promise<void> {
    const { succeeded, recorded } = await attempt(claim);
    lane.calls--;
    const others = succeeded ? [] : takeAll(lane);
    startNext(id, lane);
    await recorded;
    forget(claim);
    await giveBack(others);
  }

  async function giveBack(claims: readonly Claim[]): Promise<void> {
    if (claims.length > 0) await release(claims);
    for (const claim of claims) forget(claim);
  }

  function forget({ doubtful }: Claim): void {
    held[doubtful ? "doubtful" : "healthy"]--;
  }

  return {
    add(claims) {
      const sinceMs = performance.now();
      const added = new Map<string, Lane>();
      for (const claim of claims) {
        const { id } = claim.endpoint;
        const lane = lanes.get(id) ?? { waiting: [], calls: 0 };
        lanes.set(id, lane);
        added.set(id, lane);
        lane.waiting.push({ claim, sinceMs });
        held[claim.doubtful ? "doubtful" : "healthy"]++;
      }
      for (const [id, lane] of added) startNext(id, lane);
    },
    held: () => held,
    async stop() {
      for (const lane of lanes.values()) track(giveBack(takeAll(lane)));
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

function takeAll(lane: Lane): readonly Claim[] {
  return lane.waiting.splice(0).map(({ claim }) => claim);
}
