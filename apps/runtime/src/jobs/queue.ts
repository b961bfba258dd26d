// Keeps a runner of the job queue running. In: tasks, and their times. Out: jobs done, until it is stopped. A runner
// ends for good if it could not reach the database for a while; it is then started again.
import { EventEmitter } from "node:events";
import type { Logger } from "@plinth/service";
import {
  type CronItem,
  parseCronItems,
  Logger as QueueLogger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import type { Pool } from "pg";

export interface QueueOptions {
  /** A separate pool, with a connection for listening, one for each job, and one to spare. */
  readonly pool: Pool;
  /** Jobs at once. */
  readonly concurrency: number;
  readonly tasks: TaskList;
  /** Each time runs once, however many processes there are. */
  readonly crontab?: readonly CronItem[];
  readonly logger: Logger;
}

export interface Queue {
  /** The names under which this process locks jobs. */
  lockedBy(): readonly string[];
  /** Waits for the jobs in progress. */
  stop(): Promise<void>;
}

/** The queue's messages about each job only help to debug the queue. */
const levels: Readonly<Record<string, "error" | "warn" | "debug">> = { error: "error", warning: "warn" };
const RESTART_MS = 1_000;

export function keepQueue(options: QueueOptions): Queue {
  const { logger } = options;
  let stopped = false;
  let runner: Runner | null = null;
  let timer: NodeJS.Timeout | null = null;
  let lockedBy: readonly string[] = [];
  const events: WorkerEvents = new EventEmitter();
  // The last one as well: its jobs may still be in progress.
  events.on("pool:create", ({ workerPool }) => {
    lockedBy = [...lockedBy.slice(-1), workerPool.id];
  });
  const keep = async (): Promise<void> => {
    timer = null;
    try {
      runner = await runQueue(options, events);
      if (stopped) await runner.stop();
      await runner.promise;
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, "the job queue stopped and is restarted");
    }
    runner = null;
    if (!stopped) {
      timer = setTimeout(() => {
        going = keep();
      }, RESTART_MS);
    }
  };
  let going = keep();
  return {
    lockedBy: () => lockedBy,
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await runner?.stop().catch(() => {});
      await going;
    },
  };
}

function runQueue(
  { pool, concurrency, tasks, crontab = [], logger }: QueueOptions,
  events: WorkerEvents,
): Promise<Runner> {
  return run({
    pgPool: pool,
    events,
    concurrency,
    noHandleSignals: true,
    parsedCronItems: parseCronItems([...crontab]),
    logger: new QueueLogger(() => (level, message) => logger[levels[level] ?? "debug"]({ queue: true }, message)),
    pollInterval: 2_000,
    // In batches, a completion that doesn't reach the database is retried. Without batches, nothing would catch its
    // failure.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: tasks,
  });
}
