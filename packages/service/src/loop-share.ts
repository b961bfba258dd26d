// Shares the event loop between those who send bursts. In: who asks. Out: when their piece of work may begin.
// Whatever arrives together is handled in one turn of the loop: fifty requests of one caller are 20 ms for everybody else.
// It never refuses, and makes nobody wait while a turn is short.
import { FairShare } from "./fair-share.ts";

export interface LoopShare {
  /** Null: begin at once. Else when the promise resolves: a turn later, or after those who have asked for less lately. */
  enter(source: string): Promise<void> | null;
}

/** What begins in one turn, before the rest waits for its own. */
const TURN_MS = 4;
/** With so many waiting, choosing among them would cost more than it gives. */
const WAITING_MAX = 1_000;

/** @param clock Monotonic milliseconds. */
export function createLoopShare(clock: () => number = () => performance.now()): LoopShare {
  const share = new FairShare<() => void>(clock);
  let turnEndsMs = Number.POSITIVE_INFINITY;
  let isWatched = false;

  /** Behind what the turn has brought in; one of those who wait begins, and the loop looks for what is new. */
  const endTurn = (): void => {
    turnEndsMs = clock() + TURN_MS;
    share.next(() => true)?.();
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
      if ((share.size === 0 && clock() < turnEndsMs) || share.size >= WAITING_MAX) return null;
      return new Promise((begin) => share.push(source, begin));
    },
  };
}
