// What the platform does by itself at its times: deleting what is old. In: jobs. Out: each done once at each of its times, however
// many processes there are, in a queue beside the one of runs. Where none runs, what is due waits for the next one.
import type { Logger } from "@plinth/service";
import type { Pool } from "pg";
import { keepQueue, type Queue } from "./queue.ts";

export interface PlatformJob {
  /** Lower-case words joined by underscores. */
  readonly name: string;
  /** Five fields, as in crontab(5), in UTC. */
  readonly cron: string;
  /** Out: what it has done, for the log. It is one that may be begun again at any point. */
  run(): Promise<Readonly<Record<string, number>>>;
  /** Ends it soon. What is left is done at its next time. */
  stop(): void;
}

export interface PlatformJobsOptions {
  /** Three connections. */
  readonly pool: Pool;
  readonly jobs: readonly PlatformJob[];
  readonly logger: Logger;
}

const ATTEMPTS_MAX = 5;
/** A time that was missed by less is made up for: one of them, as often as they are. */
const LATE_MS_MAX = 600_000;

export function startPlatformJobs({ pool, jobs, logger }: PlatformJobsOptions): Queue {
  let stopping = false;
  const task = (job: PlatformJob) => async (): Promise<void> => {
    const startedMs = performance.now();
    try {
      const told = await job.run();
      logger.info({ job: job.name, ms: Math.round(performance.now() - startedMs), ...told }, "a platform job is done");
    } catch (error) {
      if (!stopping) logger.warn({ err: error, job: job.name }, "a platform job failed; it is tried again");
      throw error;
    }
  };
  const queue = keepQueue({
    pool,
    // One after another: nobody waits for them.
    concurrency: 1,
    tasks: Object.fromEntries(jobs.map((job) => [taskOf(job), task(job)])),
    crontab: jobs.map((job) => ({
      task: taskOf(job),
      match: job.cron,
      identifier: taskOf(job),
      // The key keeps a job that has waited for long, or failed for good, from being there twice.
      options: { jobKey: taskOf(job), jobKeyMode: "replace", maxAttempts: ATTEMPTS_MAX, backfillPeriod: LATE_MS_MAX },
    })),
    logger,
  });
  return {
    async stop() {
      stopping = true;
      for (const job of jobs) job.stop();
      await queue.stop();
    },
  };
}

const taskOf = ({ name }: PlatformJob): string => `plinth_${name}`;
