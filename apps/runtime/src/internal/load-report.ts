// Reports the load of the process itself. In: nothing. Out: the delay of the event loop since the last report, and
// memory in use. It costs nothing while nobody reads it: measuring begins with the first report, and ends a minute
// after the last.
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface LoadReport {
  /** How late timers ran since the last report, in ms. Null in a first report, which only starts the measuring. */
  readonly eventLoopMs: {
    readonly min: number;
    readonly p50: number;
    readonly p99: number;
    readonly max: number;
  } | null;
  /** The whole process with its worker threads. `external` is memory that JavaScript objects hold outside the heap. */
  readonly memoryBytes: { readonly rss: number; readonly heapUsed: number; readonly external: number };
}

export interface LoadReporter {
  read(): LoadReport;
  stop(): void;
}

type Histogram = ReturnType<typeof monitorEventLoopDelay>;

const RESOLUTION_MS = 1;
const IDLE_MS_MAX = 60_000;

export function createLoadReporter(idleMsMax: number = IDLE_MS_MAX): LoadReporter {
  let histogram: Histogram | null = null;
  let idle: NodeJS.Timeout | null = null;

  const stop = (): void => {
    histogram?.disable();
    histogram = null;
    if (idle !== null) clearTimeout(idle);
    idle = null;
  };

  const stopWhenIdle = (): void => {
    if (idle !== null) clearTimeout(idle);
    idle = setTimeout(stop, idleMsMax);
    idle.unref();
  };

  return {
    read() {
      const eventLoopMs = histogram === null || histogram.count === 0 ? null : lateness(histogram);
      if (histogram === null) {
        histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
        histogram.enable();
      }
      histogram.reset();
      stopWhenIdle();
      const { rss, heapUsed, external } = process.memoryUsage();
      return { eventLoopMs, memoryBytes: { rss, heapUsed, external } };
    },
    stop,
  };
}

/** Node records the time between two ticks, in ns. The part above the resolution is a delay. */
function lateness(histogram: Histogram): LoadReport["eventLoopMs"] {
  const late = (ns: number): number => Math.max(0, Math.round((ns / 1e6 - RESOLUTION_MS) * 1000) / 1000);
  return {
    min: late(histogram.min),
    p50: late(histogram.percentile(50)),
    p99: late(histogram.percentile(99)),
    max: late(histogram.max),
  };
}
