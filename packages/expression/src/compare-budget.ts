// Limits the work for all comparisons of one diff. The limit is a count, never a time: the same two models always get
// the same answer. A comparison beyond the budget is undecided.

/** The maximum work for one comparison. Rules of a few lines need a hundredth of it. */
export const COMPARISON_WORK_MAX = 200_000;
/** The maximum work for all comparisons of one diff; about 300 ms. */
export const DIFF_WORK_MAX = 1_200_000;

/** One unit is one look at one part of a rule. Evaluating a comparison of values counts as several. */
export interface ComparisonBudget {
  /** Takes this much work from the budget. Returns false, now and from then on, if not enough is left. */
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
