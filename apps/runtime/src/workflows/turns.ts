// Runs one piece of work after another. In: work. Out: its result, after the earlier ones have ended, whether they
// succeeded or failed.
export interface Turns {
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return {
    inTurn(work) {
      const result = last.then(work);
      last = result.catch(() => {});
      return result;
    },
  };
}
