// Starts what needs Postgres, as soon as Postgres can be reached. In: the start. Out: its result. A process that starts
// together with its database, or during its restart, waits; any other failure is its own.
import { isConnectionLoss } from "./errors.ts";

export interface Waiting {
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Called before the first wait, and then once a minute. */
  readonly onWait: (error: unknown) => void;
  /** Default: 1000. */
  readonly pauseMs?: number;
}

const REPORTED_MS = 60_000;

/** @param start It must leave nothing open if it fails. @throws its errors, and the reason of the signal. */
export async function whenReachable<Result>(start: () => Promise<Result>, waiting: Waiting): Promise<Result> {
  const { signal, onWait, pauseMs = 1_000 } = waiting;
  let reportAt = 0;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await start();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (performance.now() >= reportAt) {
        onWait(error);
        reportAt = performance.now() + REPORTED_MS;
      }
    }
    await pause(pauseMs, signal);
  }
}

function isUnreachable(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) if (isConnectionLoss(each)) return true;
  return false;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
