// The pause before another try, as a blueprint's `retry` has it. In: the pauses, and how many tries there were. Out: milliseconds. Pure.
import type { Retry } from "@plinth/bundle";

export type Pauses = Pick<Retry, "backoff" | "delayMs" | "delayMsMax">;

/** @param attempts How many there were. @returns Milliseconds, without jitter. */
export function pauseBefore({ backoff, delayMs, delayMsMax }: Pauses, attempts: number): number {
  const factor = backoff === "constant" ? 1 : backoff === "linear" ? attempts : 2 ** Math.min(attempts - 1, 30);
  return Math.min(delayMs * factor, delayMsMax);
}
