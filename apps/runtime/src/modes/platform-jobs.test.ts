// The platform's own jobs as the modes start them: their queue knows each of them.
import { expect, it } from "vitest";
import { defaultInboundLimits } from "../modules/webhooks-in/receive.ts";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { startPlatformJobs } from "./platform-jobs.ts";
import { createTestDatabase, kek, openTestCell } from "./testing/cell.ts";

it("each has times that the queue understands", async () => {
  const database = await createTestDatabase(cellTemplate);
  const cell = await openTestCell(database);
  try {
    startPlatformJobs(cell, { workRetentionDays: 30, workRowsMax: 1_000, inboundLimits: defaultInboundLimits, kek });
    const known = async (): Promise<readonly string[]> => {
      const { rows } = await cell.pool
        .query<{ identifier: string }>("SELECT identifier FROM graphile_worker._private_known_crontabs ORDER BY 1")
        .catch(() => ({ rows: [] }));
      return rows.map(({ identifier }) => identifier);
    };
    await expect
      .poll(known, { timeout: 15_000 })
      .toEqual([
        "plinth_changes",
        "plinth_inbound_headers",
        "plinth_inbound_retention",
        "plinth_mail_retention",
        "plinth_retention",
        "plinth_set_aside",
        "plinth_webhook_listeners",
        "plinth_webhook_retention",
        "plinth_work_retention",
      ]);
  } finally {
    await cell.close();
    await database.drop();
  }
}, 60_000);
