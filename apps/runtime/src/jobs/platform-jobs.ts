// Runs the platform's own jobs at their times, such as deleting old data. In: jobs. Out: each is done once at each of
// its times, however many processes there are, in a separate queue from the runs'. If no process runs, a due job waits
// for the next one.
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import { keepQueue, type Queue } from "./queue.ts";

export interface PlatformJob {
  /** Lower-case words joined by underscores. */
  readonly name: string;
  /** Five fields, as in crontab(5), in UTC. */
  readonly cron: string;
  /** Returns what it has done, for the log. The job can start again at any point. */
  run(): Promise<Readonly<Record<string, number>>>;
  /** Ends it soon. The rest is done at its next time. */
  stop(): void;
}

export interface PlatformJobsOptions {
  /** Three connections. */
  readonly pool: Pool;
  readonly jobs: readonly PlatformJob[];
  readonly logger: Logger;
}

const ATTEMPTS_MAX = 5;
/** A time that was missed by less than this is made up for. A job that missed several times runs once. */
const LATE_MS_MAX = 600_000;

export function startPlatformJobs({ pool, jobs, logger }: PlatformJobsOptions): Queue {
  let stopping = false;
  const task = (job: PlatformJob) => async (): Promise<void> => {
    const startedMs = performance.now();
    try {
      const figures = await job.run();
      logger.info(
        { job: job.name, ms: Math.round(performance.now() - startedMs), ...figures },
        "a platform job is done",
      );
    } catch (error) {
      if (!stopping) logger.warn({ err: error, job: job.name }, "a platform job failed and will be retried");
      throw error;
    }
  };
  const queue = keepQueue({
    pool,
    // One after another, because nobody waits for them.
    concurrency: 1,
    tasks: Object.fromEntries(jobs.map((job) => [taskOf(job), task(job)])),
    crontab: jobs.map((job) => ({
      task: taskOf(job),
      match: job.cron,
      identifier: taskOf(job),
      // The key prevents a second copy of a job that has waited for long, or failed for good.
      options: { jobKey: taskOf(job), jobKeyMode: "replace", maxAttempts: ATTEMPTS_MAX, backfillPeriod: LATE_MS_MAX },
    })),
    logger,
  });
  return {
    lockedBy: queue.lockedBy,
    async stop() {
      stopping = true;
      for (const job of jobs) job.stop();
      await queue.stop();
    },
  };
}

const taskOf = ({ name }: PlatformJob): string => `plinth_${name}`;
