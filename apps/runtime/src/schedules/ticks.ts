// The times of a schedule. In: a cron expression, its time zone, and instants. Out: ticks, whatever clock changes
// happen between them.
import type { BundleSchedule } from "@plinth/bundle";
import { Cron } from "croner";

/** A tick that is later than this was missed: `catch_up` decides what happens to it. */
const LATE_MS = 60_000;
/** Ticks that are caught up at once. With `all`, the others follow at once, the oldest first. */
const CAUGHT_UP_MAX = 100;
/** Missed ticks are counted up to this number, for people. */
const MISSED_MAX = 1_000;

type Times = Pick<BundleSchedule, "cron" | "timezone">;

type Catching = Times & Pick<BundleSchedule, "catchUp">;

/** The ticks to start now, among those between the first due one and now. */
export function ticksOf({ cron, timezone, catchUp }: Catching, firstMs: number, nowMs: number): readonly number[] {
  if (catchUp === "all") return firstTicks({ cron, timezone }, firstMs, nowMs, CAUGHT_UP_MAX);
  const ticks = lastTicks({ cron, timezone }, firstMs, nowMs);
  const punctual = ticks.filter((at) => nowMs - at <= LATE_MS);
  return catchUp === "last" && punctual.length === 0 ? ticks.slice(-1) : punctual;
}

/** The first due tick after these were started: with `all`, one of the missed ticks, if there were more of them. */
export function nextDue(times: Catching, started: readonly number[], nowMs: number): Date | null {
  const last = started.at(-1);
  return nextTick(times, times.catchUp === "all" && last !== undefined ? last : nowMs);
}

/** How many ticks would start now. */
export function countMissed(times: Catching, firstMs: number, nowMs: number): number {
  if (times.catchUp !== "all") return ticksOf(times, firstMs, nowMs).length;
  return firstTicks(times, firstMs, nowMs, MISSED_MAX).length;
}

function firstTicks(times: Times, firstMs: number, nowMs: number, most: number): readonly number[] {
  const ticks: number[] = [];
  for (let at: number | null = firstMs; at !== null && at <= nowMs && ticks.length < most; at = nextMs(times, at)) {
    ticks.push(at);
  }
  return ticks;
}

/** Searched from the end, because after a long outage there are far more of them than are caught up. */
function lastTicks(times: Times, firstMs: number, nowMs: number): readonly number[] {
  for (let spanMs = CAUGHT_UP_MAX * 60_000; ; spanMs *= 4) {
    const ticks: number[] = [];
    const isWhole = nowMs - spanMs <= firstMs;
    let at = isWhole ? firstMs : nextMs(times, nowMs - spanMs);
    while (at !== null && at <= nowMs) {
      ticks.push(at);
      at = nextMs(times, at);
    }
    if (isWhole || ticks.length >= CAUGHT_UP_MAX) return ticks.slice(-CAUGHT_UP_MAX);
  }
}

function nextMs(times: Times, afterMs: number): number | null {
  return nextTick(times, afterMs)?.getTime() ?? null;
}

/** `5/10`: from the fifth, every ten, as in the language. */
const options = { paused: true, sloppyRanges: true } as const;

/**
 * The next time after that instant; null for never. When a clock is put forward, ticks in the gap run after it. When it
 * is put back, ticks that would come twice run once. An hourly schedule runs every hour that passes.
 */
export function nextTick({ cron, timezone }: Times, afterMs: number): Date | null {
  const pattern = new Cron(cron, { timezone, ...options });
  let next = pattern.nextRun(new Date(afterMs));
  const hours = cron.trim().split(/\s+/)[1] ?? "*";
  if (next === null || hours.startsWith("*")) return next;
  // For named hours, the library repeats some times of a repeated hour and skips others.
  while (next !== null && isRepeated(next.getTime(), timezone)) next = pattern.nextRun(next);
  const local = localMs(afterMs, timezone);
  const wanted = new Cron(cron, { timezone: "UTC", ...options }).nextRun(new Date(local))?.getTime();
  if (next === null || wanted === undefined || wanted >= localMs(next.getTime(), timezone)) return next;
  const behindMs = wanted - (local - afterMs);
  if (localMs(behindMs, timezone) === wanted) return next;
  const gapEnd = changeBefore(behindMs, timezone);
  return gapEnd > afterMs && gapEnd < next.getTime() ? new Date(gapEnd) : next;
}

/** Whether the clock has already shown that time, because it was put back within the last day. */
function isRepeated(ms: number, timezone: string): boolean {
  const local = localMs(ms, timezone);
  const dayBefore = ms - DAY_MS;
  const earlier = local - (localMs(dayBefore, timezone) - dayBefore);
  return earlier < ms && localMs(earlier, timezone) === local;
}

const DAY_MS = 86_400_000;

/** The last clock change. Changes are at least a day apart, and no gap is longer than a day. */
function changeBefore(behindMs: number, timezone: string): number {
  const offset = (ms: number): number => localMs(ms, timezone) - ms;
  const after = offset(behindMs);
  let [low, high] = [behindMs - DAY_MS, behindMs];
  while (high - low > 1_000) {
    const middle = Math.round((low + high) / 2_000) * 1_000;
    if (offset(middle) === after) high = middle;
    else low = middle;
  }
  return high;
}

/** The time on a wall clock, as if it were UTC. */
function localMs(ms: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** The next few times after that instant, the soonest first. */
export function comingTicks(
  schedule: Pick<BundleSchedule, "cron" | "timezone">,
  afterMs: number,
  count: number,
): readonly Date[] {
  const coming: Date[] = [];
  for (let next = nextTick(schedule, afterMs); next !== null && coming.length < count; ) {
    coming.push(next);
    next = nextTick(schedule, next.getTime());
  }
  return coming;
}
