// The size and the seed of a generated test. In: what kind of run this is. Out: how many cases, and from which seed. A
// usual run tries a small share of the cases, another one each day, so that many runs together try them all.

export interface Sample {
  readonly runs: number;
  readonly seed: number;
}

/** True in `npm run test:long`, which tries everything. */
export const isLongRun: boolean = process.env["PLINTH_LONG_TESTS"] === "1";

/**
 * @param usual The number of cases in `npm test`.
 * @param long The number in `npm run test:long`. `RUNS` overrides both.
 */
export function sampleOf(usual: number, long: number): Sample {
  return { runs: Number(process.env["RUNS"] ?? (isLongRun ? long : usual)), seed: seedOfRun() };
}

/** `SEED`, or a number that changes each day: a failure of today can be repeated today without it. */
export function seedOfRun(): number {
  return Number(process.env["SEED"] ?? Math.floor(Date.now() / 86_400_000));
}

/** In a usual run, every `nth` item, from a place that changes with the seed; all of them in a long run. */
export function shareOf<Item>(items: readonly Item[], nth: number): readonly Item[] {
  return isLongRun ? items : items.filter((_, at) => (at + seedOfRun()) % nth === 0);
}
