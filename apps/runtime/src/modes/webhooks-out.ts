// Outbound webhooks of a cell. In: a cell's parts. Out: deliveries created for noted events, and sent when they are
// due, until the cell is closed. Sending wakes when deliveries are created and when one has ended. Polling finds those
// that are due, and those of processes that died.
import type { ProjectScope } from "@plinth/postgres";
import type { SecretBox } from "../identity/secret-box.ts";
import type { Outbound } from "../outbound/call.ts";
import { createFanOut } from "../webhooks/fan-out.ts";
import type { WebhookLimits } from "../webhooks/rules.ts";
import { createSender } from "../webhooks/sender.ts";
import type { Cell } from "./open-cell.ts";
import { startRounds } from "./rounds.ts";

export interface WebhooksOut {
  /** Call it when events may be noted, or a delivery may be due. */
  wake(): void;
}

const POLL_MS = 500;
/** Between two claims, and between two parts of new deliveries. */
const APART_MS = 10;
const STOP_MS_MAX = 5_000;

export function startWebhooks(
  cell: Cell,
  parts: {
    readonly scopeOf: (projectId: string) => ProjectScope;
    readonly box: SecretBox;
    readonly outbound: Outbound;
    readonly limits: WebhookLimits;
    /** UUID v7, increasing. */
    readonly newId: () => string;
  },
): WebhooksOut {
  const pool = cell.openPool("webhooks", 4, { statementTimeoutMs: 15_000 });
  const { registry, logger } = cell;
  const options = { ...parts, pool, registry, logger, now: Date.now, random: Math.random };
  const pacing = { pollMs: POLL_MS, apartMs: APART_MS, logger };
  const sender = createSender(options, () => sending.wake());
  // Deliveries that end in the meantime make room for more at once.
  const sending = startRounds({
    ...pacing,
    round: async () => {
      await sender.send();
      return false;
    },
    failed: "webhooks could not be looked up; it will be retried",
  });
  const fanOut = createFanOut(options);
  const creating = startRounds({
    ...pacing,
    round: async () => {
      const hasMore = await fanOut.round();
      sending.wake();
      return hasMore;
    },
    failed: "noted events could not be looked up; it will be retried",
  });
  cell.onClose(async () => {
    fanOut.stop();
    await Promise.all([creating.stop(), sending.stop()]);
    // A receiver that doesn't answer must not delay a stop: its lease ends, and the delivery is retried.
    await Promise.race([sender.stop(), new Promise((resolve) => setTimeout(resolve, STOP_MS_MAX).unref())]);
  });
  return {
    wake() {
      creating.wake();
      sending.wake();
    },
  };
}
