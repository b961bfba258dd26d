// Modes `worker` and `scheduler`: a cell without a public listener. In: settings. Out: a running service. Any number of
// both can run on one database.
import type { Logger, RunningService } from "@plinth/service";
import type { RuntimeConfig } from "../config.ts";
import { listenForHealth } from "./health.ts";
import { type Cell, openCell } from "./open-cell.ts";
import { startPlatformJobs } from "./platform-jobs.ts";
import { startSchedules } from "./schedules.ts";
import { startBackgroundWork } from "./work.ts";

/**
 * Hands events on, executes runs, and runs the platform's own jobs. @throws Error if the database can't serve or a port
 * is taken.
 */
export function startWorker(config: RuntimeConfig, logger: Logger): Promise<RunningService> {
  return start(config, logger, "worker", async (cell) => {
    await startBackgroundWork(cell, config, startPlatformJobs(cell, config));
  });
}

/** Starts scheduled runs. @throws like `startWorker`. */
export function startScheduler(config: RuntimeConfig, logger: Logger): Promise<RunningService> {
  return start(config, logger, "scheduler", async (cell) => {
    startSchedules(cell, config.workLimits);
  });
}

async function start(
  config: RuntimeConfig,
  logger: Logger,
  mode: string,
  open: (cell: Cell) => Promise<unknown>,
): Promise<RunningService> {
  const cell = await openCell({ ...config, logger });
  try {
    let stopping = false;
    await open(cell);
    const health = await listenForHealth(config, async () => (stopping ? "The service is stopping." : cell.ready()));
    logger.info({ mode, healthUrl: health.url }, "the runtime is ready");
    const stop = async (): Promise<void> => {
      stopping = true;
      await cell.close();
      await health.stop();
    };
    return { stop };
  } catch (error) {
    await cell.close();
    throw error;
  }
}
