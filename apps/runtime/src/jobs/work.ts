// The work of a worker process: hands events on, hands runs to the queue, and executes runs. In: a cell's parts. Out:
// work, until it is stopped. It wakes on notifications and when runs are due. Polling finds what a lost notification
// would have announced.
import type { Logger } from "@plinth/service";
import type { Task } from "graphile-worker";
import type { Pool } from "pg";
import type { Dispatcher } from "../events/dispatch.ts";
import type { Executor } from "../workflows/execute.ts";
import { feed, keepPlace, RUN_TASK, type RunJob } from "./feed.ts";
import { keepQueue } from "./queue.ts";

export interface WorkOptions {
  /** The job queue's own pool, with a connection for listening and one for each job. */
  readonly queuePool: Pool;
  readonly pool: Pool;
  readonly dispatcher: Dispatcher;
  readonly executor: Executor;
  /** Jobs at once. */
  readonly concurrency: number;
  readonly logger: Logger;
}

export interface Work {
  /** Call it when events may be waiting. */
  wake(): void;
  stop(): Promise<void>;
}

const POLL_MS = 500;
/** A process's claim on a run is valid for longer than this, so looking more often for abandoned runs has no use. */
const TAKE_BACK_MS = 1_000;
/** Runs of one project in progress at once, over all processes. */
const PER_PROJECT_MAX = 150;
/** Runs in the queue for each job that a process can work on. */
const AHEAD = 100;
/**
 * A job that takes longer gives its place in the process to the next one, because its runs wait for something, such as
 * another service. The limits on handed-over runs (per project and in total) bound the work in progress.
 */
const JOB_MS_MAX = 1_000;

export function startWork(options: WorkOptions): Work {
  const { pool, dispatcher, executor, concurrency, logger } = options;
  // Runs that it held at its end are handed over again when their claims expire.
  const underWay = new Set<Promise<void>>();
  const tasks = { [RUN_TASK]: runTask(options, underWay, () => wake()) };
  const queue = keepQueue({ pool: options.queuePool, concurrency, tasks, logger });
  let stopped = false;
  let woken = false;
  let tookBackAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let going: Promise<void> | null = null;

  async function round(): Promise<void> {
    let nextMs = POLL_MS;
    do {
      woken = false;
      try {
        await dispatcher.dispatch();
        const takesBack = performance.now() - tookBackAtMs > TAKE_BACK_MS;
        if (takesBack) tookBackAtMs = performance.now();
        const fed = await feed({ pool, windowMax: concurrency * AHEAD, perProjectMax: PER_PROJECT_MAX, takesBack });
        if (fed?.nextDueAtMs != null) nextMs = Math.min(POLL_MS, Math.max(1, fed.nextDueAtMs - Date.now()));
      } catch (error) {
        if (!stopped) logger.warn({ err: error }, "events could not be handed on; it will be retried");
      }
    } while (woken && !stopped);
    if (!stopped) timer = setTimeout(start, nextMs);
  }

  function start(): void {
    timer = null;
    going = round().finally(() => {
      going = null;
      if (woken && !stopped && timer !== null) {
        clearTimeout(timer);
        start();
      }
    });
  }

  function wake(): void {
    woken = true;
    if (going !== null || timer === null) return;
    clearTimeout(timer);
    start();
  }

  start();
  return {
    wake,
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      executor.stop();
      await going;
      await queue.stop();
      // Runs whose jobs have ended before them.
      await Promise.all(underWay);
    },
  };
}

function runTask({ pool, executor, logger }: WorkOptions, underWay: Set<Promise<void>>, onDone: () => void): Task {
  return async (payload) => {
    const { project, runs, bounded } = payload as RunJob;
    const carry = async (ids: readonly string[]): Promise<void> => {
      try {
        if (bounded && !(await keepPlace(pool, project, ids[0] ?? ""))) return;
        await executor.execute(project, ids);
      } catch (error) {
        // Not thrown: a job that failed would stay in the queue. Its due runs are handed over again.
        logger.warn({ err: error, projectId: project, runs: ids }, "runs could not be executed");
      }
      // Another run of a limited worker gets the place at once, instead of waiting for the slowest run of the job.
      if (bounded) onDone();
    };
    const carried = bounded ? runs.map((id) => carry([id])) : [carry(runs)];
    // For events that these runs have caused, and runs that waited for them.
    const all = Promise.all(carried).then(onDone);
    underWay.add(all);
    void all.then(() => underWay.delete(all));
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, JOB_MS_MAX).unref())]);
  };
}
