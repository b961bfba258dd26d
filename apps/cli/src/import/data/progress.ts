// Shows the progress of an import or export. In: counts. Out: one line that is overwritten in a terminal, otherwise a line every
// few seconds.
import type { Terminal } from "../../terminal.ts";

export interface Progress {
  add(what: string, rows: number, of: number | null): void;
  done(): void;
}

const WATCHED_MS = 250;
const PLAIN_MS = 5_000;

/** @param total The estimated rows of all steps. Null if unknown. */
export function createProgress(
  terminal: Terminal,
  total: number | null,
  clock: () => number = () => performance.now(),
): Progress {
  const startedAt = clock();
  const isWatched = terminal.columns !== null;
  let shownAt = startedAt;
  let all = 0;
  let hasLine = false;
  const step = new Map<string, number>();
  return {
    add: (what, rows, of) => {
      all += rows;
      step.set(what, (step.get(what) ?? 0) + rows);
      const now = clock();
      if (now - shownAt < (isWatched ? WATCHED_MS : PLAIN_MS)) return;
      shownAt = now;
      const perSecond = all / Math.max(0.001, (now - startedAt) / 1_000);
      const left = total === null || total <= all ? null : (total - all) / perSecond;
      const parts = [
        `${what}: ${grouped(step.get(what) ?? 0)}${of === null ? "" : ` of about ${grouped(of)}`} rows`,
        `${grouped(perSecond)} rows/s`,
        ...(left === null ? [] : [`${timeText(left)} left`]),
      ];
      // Overwrites the last line: moves the cursor up and clears the line.
      terminal.err(`${isWatched && hasLine ? "\u001b[1A\u001b[2K" : ""}${parts.join(", ")}`);
      hasLine = true;
    },
    done: () => {
      if (isWatched && hasLine) terminal.err("\u001b[1A\u001b[2K\u001b[1A");
    },
  };
}

export function grouped(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
