// Shares the event loop between callers with bursts. In: the caller. Out: when its piece of work can start. Requests
// that arrive together would run in one turn of the loop: fifty requests of one caller delay everybody else by 20 ms.
// It never refuses, makes nobody wait while a turn is short, and nobody forever: a caller can have any number.
import { FairShare } from "./fair-share.ts";

export interface LoopShare {
  /**
   * Null: start at once. Otherwise, start when the promise resolves: a turn later, or after callers who have used less
   * recently.
   */
  enter(source: string): Promise<void> | null;
}

/** The number that start in one turn, before the rest waits for its own. */
const TURN_MS = 4;
/** With this many waiting, choosing among them would cost more than it gains. */
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

  /**
   * After everything that the turn has brought in; one of the waiting ones starts, and the loop checks for new ones.
   */
  const endTurn = (): void => {
    turnEndsMs = clock() + TURN_MS;
    // Every other time it is the oldest one: otherwise new callers would always go before callers who have used much.
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
        // One place for two new ones: nobody waits longer than until twice as many have come after them.
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
