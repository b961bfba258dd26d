// Logs that a limit of the process is reached. In: what is used of each limit, every few seconds. Out: a warning when
// work waits for it, at most once a minute for each limit. The operator sets these limits.
import type { Logger } from "@plinth/service";

export interface InUse {
  /** The operator's variable. */
  readonly limit: string;
  readonly used: number;
  readonly allowed: number;
  /** Pieces of work that wait. */
  readonly waiting: number;
}

const AGAIN_MS = 60_000;

export function createLimitLog(
  logger: Logger,
  clock: () => number = () => performance.now(),
): (limits: readonly InUse[]) => void {
  const loggedAtMs = new Map<string, number>();
  return (limits) => {
    for (const { limit, used, allowed, waiting } of limits) {
      const logged = loggedAtMs.get(limit) ?? Number.NEGATIVE_INFINITY;
      if (used < allowed || waiting === 0 || clock() - logged < AGAIN_MS) continue;
      loggedAtMs.set(limit, clock());
      logger.warn({ limit, used, allowed, waiting }, "background work waits for a limit of this process");
    }
  };
}
