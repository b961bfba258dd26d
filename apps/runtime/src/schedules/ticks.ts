// The times of a schedule. In: a cron expression in its time zone, an instant. Out: the ticks that are to start, the next one, the
// next few. It looks at no clock.
import type { BundleSchedule } from "@plinth/bundle";
import { Cron } from "croner";

/** A tick that is later than this was missed: `catch_up` says what becomes of it. */
const LATE_MS = 60_000;
/** Ticks that are caught up at once. */
const CAUGHT_UP_MAX = 100;

/** The ticks to start now, of those between the first that is due and now. */
export function ticksOf(
  { cron, timezone, catchUp }: Pick<BundleSchedule, "cron" | "timezone" | "catchUp">,
  firstMs: number,
  nowMs: number,
): readonly number[] {
  const times = new Cron(cron, { timezone, paused: true });
  const ticks: number[] = [];
  for (let at: number | null = firstMs; at !== null && at <= nowMs; ) {
    ticks.push(at);
    // Walking all of a long pause would take seconds: the latest are found from its end.
    if (ticks.length > CAUGHT_UP_MAX) return kept(latestTicks(times, nowMs), catchUp, nowMs);
    at = times.nextRun(new Date(at))?.getTime() ?? null;
  }
  return kept(ticks, catchUp, nowMs);
}

function latestTicks(cron: Cron, nowMs: number): readonly number[] {
  return cron
    .previousRuns(CAUGHT_UP_MAX, new Date(nowMs + 1))
    .map((tick) => tick.getTime())
    .reverse();
}

function kept(ticks: readonly number[], catchUp: BundleSchedule["catchUp"], nowMs: number): readonly number[] {
  const punctual = ticks.filter((at) => nowMs - at <= LATE_MS);
  switch (catchUp) {
    case "all":
      return ticks;
    case "last":
      return punctual.length > 0 ? punctual : ticks.slice(-1);
    case "none":
      return punctual;
  }
}

/**
 * The next time after that instant; null for never. Where a clock is put forward, what falls into the gap runs behind it; where
 * it is put back, what would come twice runs once.
 */
export function nextTick({ cron, timezone }: Pick<BundleSchedule, "cron" | "timezone">, afterMs: number): Date | null {
  return new Cron(cron, { timezone, paused: true }).nextRun(new Date(afterMs));
}

/** The next few times after that instant, the soonest first. */
export function comingTicks(
  { cron, timezone }: Pick<BundleSchedule, "cron" | "timezone">,
  afterMs: number,
  count: number,
): readonly Date[] {
  return new Cron(cron, { timezone, paused: true }).nextRuns(count, new Date(afterMs));
}
