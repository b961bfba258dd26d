// Outbound webhooks of a cell. In: a cell's parts. Out: deliveries sent when they are due, until the cell is closed. It
// wakes when deliveries are created and when one has ended. Polling finds those that are due, and those of processes
// that died.
import type { ProjectScope } from "@plinth/postgres";
import type { SecretBox } from "../identity/secret-box.ts";
import type { Outbound } from "../outbound/call.ts";
import type { WebhookLimits } from "../webhooks/rules.ts";
import { createSender } from "../webhooks/sender.ts";
import type { Cell } from "./open-cell.ts";

export interface WebhooksOut {
  /** Call it when a delivery may be due. */
  wake(): void;
}

const POLL_MS = 500;
/** Between two claims. */
const APART_MS = 10;
const STOP_MS_MAX = 5_000;

export function startWebhooks(
  cell: Cell,
  parts: {
    readonly scopeOf: (projectId: string) => ProjectScope;
    readonly box: SecretBox;
    readonly outbound: Outbound;
    readonly limits: WebhookLimits;
  },
): WebhooksOut {
  const pool = cell.openPool("webhooks", 4);
  const { registry, logger } = cell;
  const options = { ...parts, pool, registry, logger, now: Date.now, random: Math.random };
  const sender = createSender(options, () => wake());
  let stopped = false;
  let woken = false;
  let timer: NodeJS.Timeout | null = null;
  let going: Promise<void> | null = null;

  async function round(): Promise<void> {
    do {
      woken = false;
      try {
        await sender.send();
      } catch (error) {
        if (!stopped) logger.warn({ err: error }, "webhooks could not be looked up; it will be retried");
      }
      // Deliveries that end in the meantime make room for more at once.
      await new Promise((resolve) => setTimeout(resolve, APART_MS));
    } while (woken && !stopped);
    going = null;
    if (!stopped) timer = setTimeout(start, POLL_MS);
  }

  function start(): void {
    timer = null;
    going = round();
  }

  function wake(): void {
    woken = true;
    if (timer === null || stopped) return;
    clearTimeout(timer);
    start();
  }

  start();
  cell.onClose(async () => {
    stopped = true;
    if (timer !== null) clearTimeout(timer);
    await going;
    // A receiver that doesn't answer must not delay a stop: its lease ends, and the delivery is retried.
    await Promise.race([sender.stop(), new Promise((resolve) => setTimeout(resolve, STOP_MS_MAX).unref())]);
  });
  return { wake };
}
