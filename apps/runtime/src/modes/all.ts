// Mode `all`: every mode in one process, on one cell. In: settings. Out: a running service.
import type { Logger, RunningService } from "@plinth/service";
import type { RuntimeConfig } from "../config.ts";
import { openCell } from "./open-cell.ts";
import { startPlatformJobs } from "./platform-jobs.ts";
import { startSchedules } from "./schedules.ts";
import { serveWeb } from "./web.ts";
import { startBackgroundWork } from "./work.ts";

/** @throws Error if the database can't serve or a port is taken. */
export async function startAll(config: RuntimeConfig, logger: Logger): Promise<RunningService> {
  const cell = await openCell({ ...config, logger });
  try {
    const queue = startPlatformJobs(cell, config);
    startSchedules(cell, config.workLimits);
    await startBackgroundWork(cell, config, queue);
    // Last, because it reports that the process is ready.
    const web = await serveWeb(cell, config);
    const stop = async (): Promise<void> => {
      await web.stop();
      await cell.close();
    };
    return { stop };
  } catch (error) {
    await cell.close();
    throw error;
  }
}
