// Spreads heavy steps over turns of the event loop. In: who wants to make one. Out: their turn, in the order of asking.
// It never lets two in the same turn, so that what is short comes in between.

/** @returns what resolves when a step may be made; each turn of the event loop has room for one. */
export function createTurns(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    const mine = last;
    last = mine.then(() => new Promise((resolve) => setImmediate(resolve)));
    return mine;
  };
}
