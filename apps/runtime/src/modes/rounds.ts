// Repeats a piece of work: when somebody wakes it, while it has more to do, and otherwise by polling. In: the work.
// Out: rounds, one at a time, until it is stopped.
import type { Logger } from "@plinth/service";

export interface RoundsOptions {
  /** Returns whether there is more to do at once. */
  readonly round: () => Promise<boolean>;
  /** The log's message if a round fails. The next one comes anyway. */
  readonly failed: string;
  readonly pollMs: number;
  /** Between two rounds. */
  readonly apartMs: number;
  readonly logger: Logger;
}

export interface Rounds {
  wake(): void;
  /** Resolves when the current round has ended. */
  stop(): Promise<void>;
}

export function startRounds({ round, failed, pollMs, apartMs, logger }: RoundsOptions): Rounds {
  let stopped = false;
  let woken = false;
  let timer: NodeJS.Timeout | null = null;
  let going: Promise<void> | null = null;

  async function go(): Promise<void> {
    do {
      woken = false;
      try {
        const hasMore = await round();
        woken ||= hasMore;
      } catch (error) {
        if (!stopped) logger.warn({ err: error }, failed);
      }
      await new Promise((resolve) => setTimeout(resolve, apartMs));
    } while (woken && !stopped);
    going = null;
    if (!stopped) timer = setTimeout(start, pollMs);
  }

  function start(): void {
    timer = null;
    going = go();
  }

  start();
  return {
    wake() {
      woken = true;
      if (timer === null || stopped) return;
      clearTimeout(timer);
      start();
    },
    async stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await going;
    },
  };
}
