// One piece of work after another. In: work. Out: what it gives, when those before it have ended, well or not.
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
