// The platform's own jobs, with their times. In: a cell. Out: jobs, stopped with the cell. They run in the processes
// that execute runs.

import { createSecretBox } from "../identity/secret-box.ts";
import { sweepChanges } from "../jobs/change-retention.ts";
import { startPlatformJobs as start } from "../jobs/platform-jobs.ts";
import type { Queue } from "../jobs/queue.ts";
import { createRetention } from "../jobs/retention.ts";
import { createWorkRetention } from "../jobs/work-retention.ts";
import { sweepMail } from "../mail/retention.ts";
import { KEPT_MINUTES } from "../modules/streams/change-log.ts";
import type { InboundLimits } from "../modules/webhooks-in/receive.ts";
import { screenStored } from "../modules/webhooks-in/screen-stored.ts";
import { sweepInbound } from "../modules/webhooks-in/sweep.ts";
import { sweepSetAside } from "../release/set-aside.ts";
import { sweepDeliveries } from "../webhooks/delivery-retention.ts";
import { sweepListeners } from "../webhooks/listeners.ts";
import type { Cell } from "./open-cell.ts";

export interface PlatformJobsSettings {
  /** Days for which events and ended runs are stored. */
  readonly workRetentionDays: number;
  /** Maximum stored events and runs of one project. */
  readonly workRowsMax: number;
  readonly inboundLimits: InboundLimits;
  readonly kek: Buffer;
}

export function startPlatformJobs(
  cell: Cell,
  { workRetentionDays: days, workRowsMax: rowsMax, inboundLimits, kek }: PlatformJobsSettings,
): Queue {
  const { logger } = cell;
  const pool = cell.openPool("platform jobs", 2);
  const box = createSecretBox(kek);
  let stopping = false;
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
        name: "mail_retention",
        cron: "17 * * * *",
        run: () => sweepMail(pool),
        stop: () => {},
      },
      {
        name: "changes",
        cron: "* * * * *",
        run: async () => ({ deleted: await sweepChanges({ pool, minutes: KEPT_MINUTES }) }),
        stop: () => {},
      },
      {
        name: "inbound_retention",
        cron: "27 * * * *",
        run: async () => ({ requests: await sweepInbound({ pool, ...inboundLimits }, () => stopping) }),
        stop: () => {
          stopping = true;
        },
      },
      {
        // Soon after the start. Later rounds find what processes of an earlier version still store during an update.
        name: "inbound_headers",
        cron: "*/5 * * * *",
        run: async () => ({ requests: await screenStored({ pool, box, logger }, () => stopping) }),
        stop: () => {
          stopping = true;
        },
      },
      {
        name: "set_aside",
        cron: "5,15,25,35,45,55 * * * *",
        run: async () => ({ dropped: await sweepSetAside({ pool, logger }) }),
        stop: () => {},
      },
      {
        name: "webhook_listeners",
        cron: "* * * * *",
        run: async () => ({ deleted: await sweepListeners(pool) }),
        stop: () => {},
      },
      {
        name: "webhook_retention",
        cron: "37 * * * *",
        run: async () => ({ deliveries: await sweepDeliveries(pool, days, () => stopping) }),
        stop: () => {
          stopping = true;
        },
      },
    ],
  });
  cell.onClose(queue.stop);
  return queue;
}
