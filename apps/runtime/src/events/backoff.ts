// The pause before another attempt, from a blueprint's `retry`. In: the pauses, and the number of attempts so far. Out:
// milliseconds. Pure.
import type { Retry } from "@plinth/bundle";

export type Pauses = Pick<Retry, "backoff" | "delayMs" | "delayMsMax">;

/** @param attempts The attempts so far. @returns Milliseconds, without jitter. */
export function pauseBefore({ backoff, delayMs, delayMsMax }: Pauses, attempts: number): number {
  const factor = backoff === "constant" ? 1 : backoff === "linear" ? attempts : 2 ** Math.min(attempts - 1, 30);
  return Math.min(delayMs * factor, delayMsMax);
}
