// Repeats a piece of work: when somebody wakes it, while it has more to do, and otherwise by polling. In: the work.
// Out: rounds, one at a time, until it is stopped. A failed round is logged, and the next one comes anyway.
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "@plinth/service";
import { type Repeating, repeat } from "../jobs/repeat.ts";

export interface RoundsOptions {
  /** Returns whether there is more to do at once. */
  readonly round: () => Promise<boolean>;
  /** The log's message if a round fails. */
  readonly failed: string;
  readonly pollMs: number;
  /** Between two rounds. */
  readonly apartMs: number;
  readonly logger: Logger;
}

export function startRounds({ round, failed, pollMs, apartMs, logger }: RoundsOptions): Repeating {
  let stopped = false;
  const repeating = repeat(async () => {
    let hasMore = false;
    try {
      hasMore = await round();
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, failed);
    }
    await pause(apartMs);
    return hasMore ? 0 : pollMs;
  });
  return {
    wake: repeating.wake,
    stop: () => {
      stopped = true;
      return repeating.stop();
    },
  };
}
