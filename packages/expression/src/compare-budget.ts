// How much work the comparisons of one diff may do. A count, never a clock: the same two models always get the same answer.
// What is asked for beyond the budget is not done, and its comparison is undecided.

/** The most work of one comparison. Rules of a few lines take a hundredth of it. */
export const COMPARISON_WORK_MAX = 200_000;
/** The most work of all comparisons of one diff; some 300 ms. */
export const DIFF_WORK_MAX = 1_200_000;

/** A unit is one look at one part of a rule; judging a comparison of values counts as several. */
export interface ComparisonBudget {
  /** Takes so much work off; false, from then on always, where that much is no longer left. */
  readonly spend: (work: number) => boolean;
  readonly left: () => number;
}

export function createBudget(work: number = DIFF_WORK_MAX): ComparisonBudget {
  let left = work;
  return {
    spend: (units) => {
      left -= units;
      return left >= 0;
    },
    left: () => Math.max(0, left),
  };
}

/** The budget of one comparison within that of a diff. */
export function withinBudget(whole: ComparisonBudget): ComparisonBudget {
  const own = createBudget(COMPARISON_WORK_MAX);
  return {
    spend: (work) => {
      const within = whole.spend(work);
      return own.spend(work) && within;
    },
    left: () => Math.min(own.left(), whole.left()),
  };
}
