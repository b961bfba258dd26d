// The work of a worker process: hands events on, claims due runs, and executes them. In: a cell's parts. Out: work, until
// it is stopped. It wakes on notifications, when runs end and when runs are due. Polling finds what a lost notification
// would have announced.
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import type { Dispatcher } from "../events/dispatch.ts";
import type { Executor } from "../workflows/execute.ts";
import { PROJECT_RUNS_MAX } from "../workflows/work-processes.ts";
import { BATCH_RUNS_MAX, claimRuns, type RunBatch } from "./claim-runs.ts";
import type { Heartbeat } from "./heartbeat.ts";
import { repeat } from "./repeat.ts";

export interface WorkOptions {
  readonly pool: Pool;
  /** The process in the list of due runs. */
  readonly holder: string;
  readonly heartbeat: Pick<Heartbeat, "isAlive">;
  readonly dispatcher: Dispatcher;
  readonly executor: Executor;
  /** Pieces of work in the database at once. */
  readonly places: number;
  /** Calls of other services at once. */
  readonly callsMax: number;
  readonly logger: Logger;
}

/** Pieces of work in the database at once in one process, if the operator sets nothing. */
export const defaultWorkPlaces = 8;

export interface Work {
  /** Call it when events may be waiting, or runs may be due. */
  wake(): void;
  stop(): Promise<void>;
}

const POLL_MS = 500;
/** The number of projects that can each get as many runs as the last one. */
const ROOM_FOR = 4;
const RELEASE_MS = 3_000;

export function startWork(options: WorkOptions): Work {
  const { pool, holder, heartbeat, dispatcher, executor, places, callsMax, logger } = options;
  /** Enough for every place and for every call. Runs in progress are in memory, so they are limited. */
  const runsMax = places * BATCH_RUNS_MAX + callsMax;
  const underWay = new Set<UnderWay>();
  let runs = 0;
  let stopped = false;
  let releasedAtMs = performance.now();
  /** Events were handed on since the last claim. */
  let isExpected = false;

  const warn = (error: unknown, what: string): void => {
    if (!stopped) logger.warn({ err: error }, what);
  };

  const dispatching = repeat(async () => {
    try {
      if ((await dispatcher.dispatch()) === 0) return POLL_MS;
      isExpected = true;
      claiming.wake();
    } catch (error) {
      warn(error, "events could not be handed on; it will be retried");
    }
    return POLL_MS;
  });

  const claiming = repeat(async () => {
    if (stopped) return POLL_MS;
    try {
      await releaseStrays();
      if (!heartbeat.isAlive()) return POLL_MS;
      // The fuller the process is, the fewer runs a project gets. So runs that take long, of however many projects, leave
      // room for the others.
      const free = runsMax - runs;
      const share = Math.min(PROJECT_RUNS_MAX, Math.max(1, Math.floor(free / ROOM_FOR)));
      const options = { pool, holder, room: Math.ceil(free / 2), share, isExpected };
      isExpected = false;
      const { batches, isMore, nextDueAtMs } = await claimRuns(options);
      for (const batch of batches) start(batch);
      if (batches.length > 0 && isMore) claiming.wake();
      return nextDueAtMs === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, nextDueAtMs - Date.now()));
    } catch (error) {
      warn(error, "due runs could not be claimed; it will be retried");
      return POLL_MS;
    }
  });

  /** In the same rounds as the claims, so that no claim is on its way. */
  async function releaseStrays(): Promise<void> {
    if (performance.now() - releasedAtMs < RELEASE_MS) return;
    releasedAtMs = performance.now();
    const { rowCount } = await pool.query(RELEASE, [holder, [...underWay].flatMap(({ left }) => [...left])]);
    if (rowCount !== 0) logger.warn({ runs: rowCount }, "runs that could not be parked are continued");
  }

  function start({ project, runs: ids, fence }: RunBatch): void {
    const left = new Set(ids);
    runs += left.size;
    const onLeft = (id: string): void => {
      if (!left.delete(id)) return;
      runs--;
      // For events that the run has caused, and for runs that waited for it or for its room.
      wake();
    };
    const ending = executor
      .execute(project, ids, { fence, onLeft })
      .catch((error: unknown) =>
        // They are released soon.
        logger.warn({ err: error, projectId: project, runs: [...left] }, "runs could not be executed"),
      )
      .finally(() => {
        for (const id of left) onLeft(id);
        underWay.delete(batch);
      });
    const batch = { left, ending };
    underWay.add(batch);
  }

  function wake(): void {
    dispatching.wake();
    claiming.wake();
  }

  return {
    wake,
    async stop() {
      stopped = true;
      executor.stop();
      await Promise.all([dispatching.stop(), claiming.stop()]);
      await Promise.all([...underWay].map(({ ending }) => ending));
    },
  };
}

interface UnderWay {
  /** The runs that are still in progress here. */
  readonly left: ReadonlySet<string>;
  readonly ending: Promise<void>;
}

/**
 * Runs that this process has claimed and doesn't execute: the database was away when one had to park, or when a claim
 * was answered. The heartbeat would keep them for ever.
 */
const RELEASE = `UPDATE plinth.due_runs SET handed_at = NULL, holder = NULL, woken = true
  WHERE handed_at IS NOT NULL AND holder = $1 AND run_id <> ALL ($2::uuid[])`;
