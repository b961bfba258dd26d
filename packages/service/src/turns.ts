// Spreads heavy steps over turns of the event loop. In: a caller. Out: its turn, in the order of the calls. Two never
// share a turn, so that short work can run in between.

/** @returns a promise that resolves when a step can run; each turn of the event loop has room for one. */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const mine = last;
    last = mine.then(() => new Promise((resolve) => setImmediate(resolve)));
    return mine;
  };
}
