// Writes one log line for many refusals of a kind. In: each refusal. Out: the first one at once, then a count for each
// period. The number of lines is limited by the kinds and periods, however many requests are refused.
import type { Logger } from "@plinth/service";

export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The project, or the network if no project is known. */
  readonly source: string;
}

const PERIOD_MS = 10_000;
/** The maximum number of kinds in a period. Further kinds are counted together. */
const KINDS_MAX = 200;

export interface RefusalLog {
  /** True if the refusal gets its own line, which the caller writes. */
  note(refusal: Refusal): boolean;
  stop(): void;
}

export function createRefusalLog(logger: Logger): RefusalLog {
  let counts = new Map<string, { readonly refusal: Refusal; further: number }>();

  const tell = (): void => {
    const finished = counts;
    counts = new Map();
    for (const { refusal, further } of finished.values()) {
      if (further > 0) logger.info({ ...refusal, further, seconds: PERIOD_MS / 1000 }, "more requests were refused");
    }
  };
  const timer = setInterval(tell, PERIOD_MS);
  timer.unref();

  return {
    note(refusal) {
      const source = counts.size < KINDS_MAX ? refusal.source : "others";
      const kind = `${refusal.status} ${refusal.code} ${source}`;
      const known = counts.get(kind);
      if (known === undefined) {
        counts.set(kind, { refusal: { ...refusal, source }, further: 0 });
        return true;
      }
      known.further += 1;
      return false;
    },
    stop() {
      clearInterval(timer);
      tell();
    },
  };
}
