// Repeated work. In: a function and a pause. Out: a function that stops it. Failures are logged, and the next round tries again.
// Two rounds never overlap.
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "@plinth/service";

export interface Repeated {
  /** Starts no further round, and waits for the current one. */
  stop(): Promise<void>;
}

export function repeat(work: () => Promise<void>, pauseMs: number, logger: Logger): Repeated {
  const stopping = new AbortController();
  const rounds = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await work().catch((error: unknown) => logger.warn({ err: error }, "repeated work failed; it is tried again"));
      await pause(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  const running = rounds();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
