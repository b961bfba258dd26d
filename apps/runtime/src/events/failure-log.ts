// Logs failures of projects' work. In: a project and what failed. Out: a line in the log; beyond a number of lines in a
// minute, only how many were left out, so that one project can't fill the log.
import type { Logger } from "@plinth/service";

export type FailureLog = (name: string, of: { readonly projectId: string } & Readonly<Record<string, unknown>>) => void;

const LINES_MAX = 20;
const MINUTE_MS = 60_000;

/** @param clock Milliseconds. */
export function createFailureLog(logger: Logger, clock: () => number): FailureLog {
  let minute = 0;
  /** Lines of the minute, by project. */
  const lines = new Map<string, number>();
  const endMinute = (): void => {
    for (const [projectId, count] of lines)
      if (count > LINES_MAX) logger.warn({ projectId, count: count - LINES_MAX }, "more work failed than is logged");
    lines.clear();
  };
  return (name, of) => {
    const now = Math.floor(clock() / MINUTE_MS);
    if (now !== minute) endMinute();
    minute = now;
    const count = (lines.get(of.projectId) ?? 0) + 1;
    lines.set(of.projectId, count);
    if (count <= LINES_MAX) logger.warn(of, name);
  };
}
