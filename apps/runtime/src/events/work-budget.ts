// How much unfinished work a project may have. In: the operator's bounds, and a way to count what there is. Out: how many more there may
// be. What is counted is remembered for a second, so that much work costs no count each time; so much later another process's
// is seen.

import { RecentMap } from "@plinth/service";
export interface WorkBudget {
  /** Runs that have not ended. */
  readonly runs: Quota;
  /** Waits for events, approvals and other runs. */
  readonly waits: Quota;
}

export interface WorkLimits {
  /** Runs of one project that have not ended. */
  readonly openRunsMax: number;
  /** What the runs of one project wait for at once: events, approvals, other runs. */
  readonly openWaitsMax: number;
}

export interface Quota {
  /** Takes as many of those wanted as there is room for. @param count What there is, counted up to a number. */
  take(project: string, wanted: number, count: (most: number) => Promise<number>): Promise<number>;
}

/** Where the operator says nothing. */
export const defaultWorkLimits: WorkLimits = { openRunsMax: 200_000, openWaitsMax: 200_000 };

/** Events of one project that are kept, and runs, where the operator says nothing. */
export const defaultWorkRowsMax = 1_000_000;

/** @param now Monotonic milliseconds. */
export function createWorkBudget(
  { openRunsMax, openWaitsMax }: WorkLimits = defaultWorkLimits,
  now: () => number = () => performance.now(),
): WorkBudget {
  return { runs: createQuota(openRunsMax, now), waits: createQuota(openWaitsMax, now) };
}

const COUNT_AGAIN_MS = 1_000;
/** Projects whose counts are remembered; beyond so many, the first are forgotten. */
const KNOWN_MAX = 10_000;

interface Counted {
  there: number;
  readonly atMs: number;
}

function createQuota(max: number, now: () => number): Quota {
  const known = new RecentMap<string, Counted>(KNOWN_MAX);
  const countOf = async (project: string, count: (most: number) => Promise<number>): Promise<Counted> => {
    const before = known.get(project);
    if (before !== undefined && now() - before.atMs < COUNT_AGAIN_MS) return before;
    const counted = { there: await count(max), atMs: now() };
    known.set(project, counted);
    return counted;
  };
  return {
    async take(project, wanted, count) {
      const counted = await countOf(project, count);
      const taken = Math.max(0, Math.min(wanted, max - counted.there));
      counted.there += taken;
      return taken;
    },
  };
}

/** Runs that have not ended are due some time, if only at infinity. The client's role is the cell's. */
export const COUNT_OPEN_RUNS =
  "SELECT count(*)::int AS there FROM (SELECT 1 FROM plinth.due_runs WHERE project_id = $1 LIMIT $2) r";

export const TOO_MANY_RUNS = {
  code: "too_many_runs",
  message: "The project has as many runs that have not ended as its operator allows.",
} as const;

/** Of a run that is kept as failed in the place of one that would be too many. */
export const NOT_BEGUN: { readonly code: string; readonly message: string } = {
  code: TOO_MANY_RUNS.code,
  message: `${TOO_MANY_RUNS.message} This one was not begun; it can be retried.`,
};
