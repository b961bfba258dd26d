// Limits how much unfinished work a project can have. In: the operator's limits, and a function that counts the work.
// Out: how much more is allowed. A count is cached for a second, so that a large count isn't repeated. Work of another
// process is therefore seen up to a second late.

import { RecentMap } from "@plinth/service";
export interface WorkBudget {
  /** Runs that have not ended. */
  readonly runs: Quota;
  /** Waits for events, approvals and other runs. */
  readonly waits: Quota;
}

export interface WorkLimits {
  /** Maximum runs of one project that have not ended. */
  readonly openRunsMax: number;
  /** Maximum waits of one project's runs at once: for events, approvals and other runs. */
  readonly openWaitsMax: number;
}

export interface Quota {
  /** Takes as many as there is room for, at most `wanted`. @param count Counts the existing work, up to a number. */
  take(project: string, wanted: number, count: (most: number) => Promise<number>): Promise<number>;
}

/** Used if the operator sets nothing. */
export const defaultWorkLimits: WorkLimits = { openRunsMax: 200_000, openWaitsMax: 200_000 };

/** Stored events and runs of one project, if the operator sets nothing. */
export const defaultWorkRowsMax = 1_000_000;

/** @param now Monotonic milliseconds. */
export function createWorkBudget(
  { openRunsMax, openWaitsMax }: WorkLimits = defaultWorkLimits,
  now: () => number = () => performance.now(),
): WorkBudget {
  return { runs: createQuota(openRunsMax, now), waits: createQuota(openWaitsMax, now) };
}

const COUNT_AGAIN_MS = 1_000;
/** Projects whose counts are cached. Beyond this number, the oldest are forgotten. */
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

/** A run that has not ended has a due time, even if it is infinity. The client has the cell's role. */
export const COUNT_OPEN_RUNS =
  "SELECT count(*)::int AS there FROM (SELECT 1 FROM plinth.due_runs WHERE project_id = $1 LIMIT $2) r";

export const TOO_MANY_RUNS = {
  code: "too_many_runs",
  message: "The project already has as many unfinished runs as its operator allows.",
} as const;

/** The error of a run that is stored as failed because there are too many. */
export const NOT_BEGUN: { readonly code: string; readonly message: string } = {
  code: TOO_MANY_RUNS.code,
  message: `${TOO_MANY_RUNS.message} This one was not started. It can be retried.`,
};
