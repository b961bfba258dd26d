// Decides how many of a project's events are handed on at once, and when a failure is retried. In: the results. Out: a
// number. If a batch takes longer than a statement may, the next one is smaller: fewer events are read, and offered to
// fewer waits. A batch that still fails is retried less and less often, because each attempt takes time from the other
// projects.
import type { ProjectId } from "@plinth/bundle";
import { RecentMap } from "@plinth/service";

const BATCH_MAX = 500;
const SMALLER_BY = 5;
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 10_000;
/** Failed projects that are remembered. Beyond this number, the oldest are forgotten. */
const KNOWN_MAX = 10_000;

interface Pace {
  readonly batch: number;
  readonly failures: number;
  readonly untilMs: number;
}

export interface DispatchPace {
  /** 0 while the project has to wait. */
  batchOf(project: ProjectId): number;
  succeeded(project: ProjectId): void;
  failed(project: ProjectId): void;
}

/** @param now Monotonic milliseconds. */
export function createDispatchPace(now: () => number = () => performance.now()): DispatchPace {
  const known = new RecentMap<ProjectId, Pace>(KNOWN_MAX);
  return {
    batchOf(project) {
      const { batch, untilMs } = known.get(project) ?? { batch: BATCH_MAX, untilMs: 0 };
      return untilMs > now() ? 0 : batch;
    },
    succeeded(project) {
      const pace = known.get(project);
      if (pace === undefined) return;
      const batch = pace.batch * 2;
      if (batch >= BATCH_MAX) known.delete(project);
      else known.set(project, { batch, failures: 0, untilMs: 0 });
    },
    failed(project) {
      const { batch = BATCH_MAX, failures = 0 } = known.get(project) ?? {};
      const pauseMs = Math.min(PAUSE_MS * 2 ** Math.min(failures, 20), PAUSE_MS_MAX);
      known.set(project, {
        batch: Math.max(1, Math.floor(batch / SMALLER_BY)),
        failures: failures + 1,
        untilMs: now() + pauseMs,
      });
    },
  };
}
