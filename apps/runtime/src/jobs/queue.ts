// Keeps a runner of the job queue at work. In: tasks, and what is to be done at which times. Out: jobs done, until it is stopped.
// A runner ends for good where it could not reach the database for a while: it is started again.
import type { Logger } from "@plinth/service";
import { type CronItem, parseCronItems, Logger as QueueLogger, type Runner, run, type TaskList } from "graphile-worker";
import type { Pool } from "pg";

export interface QueueOptions {
  /** The runner's own, with a connection for listening, one for each job, and one to spare. */
  readonly pool: Pool;
  /** Jobs at once. */
  readonly concurrency: number;
  readonly tasks: TaskList;
  /** However many processes there are, each time is kept once. */
  readonly crontab?: readonly CronItem[];
  readonly logger: Logger;
}

export interface Queue {
  /** Lets the jobs at hand end. */
  stop(): Promise<void>;
}

/** What the queue tells at each job is for those who look for a mistake in it. */
const levels: Readonly<Record<string, "error" | "warn" | "debug">> = { error: "error", warning: "warn" };
const RESTART_MS = 1_000;

export function keepQueue(options: QueueOptions): Queue {
  const { logger } = options;
  let stopped = false;
  let runner: Runner | null = null;
  let timer: NodeJS.Timeout | null = null;
  const keep = async (): Promise<void> => {
    timer = null;
    try {
      runner = await runQueue(options);
      if (stopped) await runner.stop();
      await runner.promise;
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, "the job queue could not go on; it is started again");
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
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await runner?.stop().catch(() => {});
      await going;
    },
  };
}

function runQueue({ pool, concurrency, tasks, crontab = [], logger }: QueueOptions): Promise<Runner> {
  return run({
    pgPool: pool,
    concurrency,
    noHandleSignals: true,
    parsedCronItems: parseCronItems([...crontab]),
    logger: new QueueLogger(() => (level, message) => logger[levels[level] ?? "debug"]({ queue: true }, message)),
    pollInterval: 2_000,
    // In batches, a completion that does not reach the database is tried again; alone, its failure would be nobody's to catch.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    taskList: tasks,
  });
}
