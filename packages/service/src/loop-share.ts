// Shares the event loop between those who send bursts. In: who asks. Out: when their piece of work may begin.
// Whatever arrives together is handled in one turn of the loop: fifty requests of one caller are 20 ms for everybody else.
// It never refuses, makes nobody wait while a turn is short, and nobody for ever: a caller may be as many as they like.
import { FairShare } from "./fair-share.ts";

export interface LoopShare {
  /** Null: begin at once. Else when the promise resolves: a turn later, or after those who have asked for less lately. */
  enter(source: string): Promise<void> | null;
}

/** What begins in one turn, before the rest waits for its own. */
const TURN_MS = 4;
/** With so many waiting, choosing among them would cost more than it gives. */
const WAITING_MAX = 1_000;

interface Waiting {
  readonly source: string;
  readonly begin: () => void;
}

/** @param clock Monotonic milliseconds. */
export function createLoopShare(clock: () => number = () => performance.now()): LoopShare {
  const share = new FairShare<Waiting>(clock);
  /** The oldest first. */
  const waiting = new Set<Waiting>();
  let turnEndsMs = Number.POSITIVE_INFINITY;
  let isWatched = false;
  let isOldestsTurn = false;

  const begin = (one: Waiting | null): void => {
    if (one === null) return;
    waiting.delete(one);
    one.begin();
  };

  const beginOldest = (): void => {
    const [oldest = null] = waiting;
    if (oldest !== null) share.remove(oldest.source, oldest);
    begin(oldest);
  };

  /** Behind what the turn has brought in; one of those who wait begins, and the loop looks for what is new. */
  const endTurn = (): void => {
    turnEndsMs = clock() + TURN_MS;
    // Every other time it is the oldest: those who are always new would go before everybody who has asked for much.
    if (isOldestsTurn) beginOldest();
    else begin(share.next(() => true));
    isOldestsTurn = !isOldestsTurn;
    isWatched = share.size > 0;
    if (isWatched) setImmediate(endTurn);
  };

  return {
    enter(source) {
      if (!isWatched) {
        isWatched = true;
        turnEndsMs = clock() + TURN_MS;
        setImmediate(endTurn);
      }
      share.charge(source, 1);
      if (share.size === 0 && clock() < turnEndsMs) return null;
      if (share.size >= WAITING_MAX) {
        // One place for two who come: nobody waits longer than until twice as many have come after them.
        beginOldest();
        return null;
      }
      return new Promise((resolve) => {
        const one = { source, begin: resolve };
        waiting.add(one);
        share.push(source, one);
      });
    },
  };
}
