// Decides when an attempt is repeated. In: its result, the number of attempts, and the receiver's Retry-After. Out: the
// time of the next one. Pure.
import { pauseBefore } from "../events/backoff.ts";
import type { DeliveryRules } from "./rules.ts";

/** After each attempt, in ms: 27 h 35 min in total. */
const DELAYS_MS: readonly number[] = [
  5_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  5 * 3_600_000,
  10 * 3_600_000,
  10 * 3_600_000,
];
/** The maximum random extension of a pause, so that deliveries that failed together don't come back together. */
const JITTER = 0.1;
/** The maximum pause that a receiver can ask for, even beyond the schedule. */
export const RETRY_AFTER_MS_MAX: number = 12 * 3_600_000;

/** The retry rules of the blueprint and the operator. */
type RetryRules = Pick<DeliveryRules, "attempts" | "pauses" | "spanMsMax">;

/**
 * @param tries The attempts so far. @param random From 0 to 1. @returns Milliseconds until the next one; null if there
 * is none.
 */
export function nextDelayMs(tries: number, retryAfterMs: number, random: number, rules: RetryRules): number | null {
  if (tries >= (rules.attempts ?? DELAYS_MS.length + 1)) return null;
  let spanMs = 0;
  for (let each = 1; each <= tries; each++) spanMs += delayAfter(each, rules);
  if (spanMs > rules.spanMsMax) return null;
  return Math.max(delayAfter(tries, rules) * (1 + JITTER * random), Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
}

/** After the end of the schedule, its last pause is repeated. */
function delayAfter(tries: number, { pauses }: RetryRules): number {
  if (pauses !== undefined) return pauseBefore(pauses, tries);
  return DELAYS_MS[Math.min(tries, DELAYS_MS.length) - 1] ?? 0;
}

/** Seconds, or a date (RFC 9110); 0 if it is neither. */
export function retryAfterMs(text: string | undefined, nowMs: number): number {
  if (text === undefined) return 0;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

const PAUSE_MS = 30_000;
const PAUSE_MS_MAX = 600_000;

/** How long nothing is sent to an endpoint with this many failures above the threshold. */
export function pauseMs(beyond: number): number {
  return Math.min(PAUSE_MS * 2 ** Math.min(beyond, 10), PAUSE_MS_MAX);
}
