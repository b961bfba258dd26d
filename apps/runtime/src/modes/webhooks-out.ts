// Webhooks that leave a cell. In: a cell's parts. Out: deliveries sent as they fall due, until the cell is closed. It wakes when some were
// made and when one has ended; polling finds those whose time has come and those of processes that died.
import type { ProjectScope } from "@plinth/postgres";
import type { SecretBox } from "../identity/secret-box.ts";
import type { Outbound } from "../outbound/call.ts";
import type { WebhookLimits } from "../webhooks/rules.ts";
import { createSender } from "../webhooks/sender.ts";
import type { Cell } from "./open-cell.ts";

export interface WebhooksOut {
  /** Something may be due. */
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
        if (!stopped) logger.warn({ err: error }, "webhooks could not be looked up; it is tried again");
      }
      // What ends in the meantime makes room for more at once.
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
    // A receiver that stays silent holds up no stop: its lease ends, and the delivery is attempted again.
    await Promise.race([sender.stop(), new Promise((resolve) => setTimeout(resolve, STOP_MS_MAX).unref())]);
  });
  return { wake };
}
