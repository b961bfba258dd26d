// What the platform does by itself, at its own times. In: a cell. Out: jobs, stopped with the cell. They run where runs do.
import { startPlatformJobs as start } from "../jobs/platform-jobs.ts";
import { createRetention } from "../jobs/retention.ts";
import { createWorkRetention } from "../jobs/work-retention.ts";
import { sweepInbound } from "../modules/webhooks-in/sweep.ts";
import { sweepSetAside } from "../release/set-aside.ts";
import type { Cell } from "./open-cell.ts";

export interface PlatformJobsSettings {
  /** Days for which events and ended runs are kept. */
  readonly workRetentionDays: number;
  /** Events of one project, and runs, that are kept. */
  readonly workRowsMax: number;
}

export function startPlatformJobs(
  cell: Cell,
  { workRetentionDays: days, workRowsMax: rowsMax }: PlatformJobsSettings,
): void {
  const { logger } = cell;
  let stopping = false;
  const pool = cell.openPool("platform jobs", 2);
  const retention = createRetention({ ...cell, pool });
  const workRetention = createWorkRetention({ ...cell, pool, days, rowsMax });
  const queue = start({
    pool: cell.openPool("platform queue", 3),
    logger,
    jobs: [
      {
        name: "retention",
        cron: "*/10 * * * *",
        run: async () => ({ records: await retention.sweep() }),
        stop: retention.stop,
      },
      {
        name: "work_retention",
        cron: "7 * * * *",
        run: async () => ({ ...(await workRetention.sweep()) }),
        stop: workRetention.stop,
      },
      {
        name: "inbound_retention",
        cron: "17 * * * *",
        run: async () => ({ requests: await sweepInbound({ pool, days, rowsMax }, () => stopping) }),
        stop: () => {
          stopping = true;
        },
      },
      {
        name: "set_aside",
        cron: "5-59/10 * * * *",
        run: async () => ({ dropped: await sweepSetAside({ pool, logger }) }),
        stop: () => {},
      },
    ],
  });
  cell.onClose(queue.stop);
}
