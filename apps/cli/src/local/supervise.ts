// Keeps one part of a local Plinth running. In: a function that starts it. Out: when it is ready, one line about each unexpected
// end and each restart, and a function that stops it. It restarts the part with growing pauses until it is stopped, and never
// leaves a process behind.
import { setTimeout as pause } from "node:timers/promises";
import { messageOf } from "../failure.ts";

export interface Part {
  readonly name: string;
  /** Resolves when it answers. After an abort, a started process must be ended. */
  readonly start: (signal: AbortSignal) => Promise<RunningPart>;
  /** The last lines of its log, indented. */
  readonly logTail: () => string;
}

export interface RunningPart {
  /** Resolves with a short reason when it has ended. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface Supervised {
  /** The first start: resolves when it answers, rejects if it doesn't. */
  readonly ready: Promise<void>;
  /** Idempotent. Also works while it is being restarted. */
  readonly stop: () => Promise<void>;
}

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** After this time, the next end counts as the first. */
  readonly wellMs: number;
}

const usualBackoff: Backoff = { firstMs: 250, maxMs: 30_000, wellMs: 120_000 };

/** From this number of consecutive ends on, the end of the log is reported too. */
const LOOP = 3;

export function supervise(part: Part, report: (text: string) => void, backoff: Backoff = usualBackoff): Supervised {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: RunningPart | null = null;

  const start = async (): Promise<RunningPart> => {
    const started = await part.start(signal);
    if (signal.aborted) await started.stop();
    running = started;
    return started;
  };

  const keepRunning = async (first: RunningPart): Promise<void> => {
    let current = first;
    let failures = 0;
    while (!signal.aborted) {
      const startedAt = Date.now();
      let message = `The ${part.name} ended (${await current.ended})`;
      running = null;
      if (Date.now() - startedAt >= backoff.wellMs) failures = 0;
      for (let isBack = false; !isBack && !signal.aborted; ) {
        const waitMs = Math.min(backoff.firstMs * 2 ** failures++, backoff.maxMs);
        const often =
          failures >= LOOP
            ? ` This is the ${ordinal(failures)} time in a row. The end of its log:\n${part.logTail()}`
            : "";
        report(`${message}; starting it again in ${waitMs / 1000} s.${often}`);
        await pause(waitMs, undefined, { signal }).catch(() => {});
        if (signal.aborted) return;
        try {
          current = await start();
          isBack = true;
        } catch (error) {
          message = firstLineOf(error);
        }
      }
      if (!signal.aborted) report(`The ${part.name} is running again.`);
    }
  };

  let kept: Promise<void> = Promise.resolve();
  const ready = start().then((first) => {
    kept = keepRunning(first);
  });
  ready.catch(() => {});
  let stopped: Promise<void> | null = null;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ready.catch(() => {});
    await running?.stop();
    await kept;
  };
  return {
    ready,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

function firstLineOf(error: unknown): string {
  const line = (messageOf(error).split("\n", 1)[0] ?? "").replace(/[.:]$/, "");
  return line.charAt(0).toUpperCase() + line.slice(1);
}

function ordinal(count: number): string {
  const isTeen = count % 100 > 10 && count % 100 < 14;
  return `${count}${isTeen ? "th" : (["th", "st", "nd", "rd"][count % 10] ?? "th")}`;
}
