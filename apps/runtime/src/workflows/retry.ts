// Whether a step is tried again, and when. In: an error, or how often it failed. Out: what its row tells, or a pause.
import type { Retry } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { StepError } from "./run.ts";
import { StepFailed } from "./step-failed.ts";

export interface Failed {
  readonly error: StepError;
  /** Trying again can't help. */
  readonly isFinal: boolean;
  readonly retryAfterMs: number;
}

/** Null for what is no failure of the step: a mistake of ours, or a lost connection, after which the run goes on elsewhere. */
export function errorOf(error: unknown): Failed | null {
  if (error instanceof StepFailed) {
    const { isFinal = false, retryAfterMs = 0 } = error.failure;
    return { error: { code: error.code, message: error.message }, isFinal, retryAfterMs };
  }
  if (!(error instanceof Fault) || error.code === "internal") return null;
  const details = error.errors.map(({ path, message }) => `${path} ${message}`).join(" ");
  const message = [error.message, details].filter((part) => part !== "").join(" ");
  const isFinal = !["unavailable", "timeout", "rate_limited"].includes(error.code);
  return { error: { code: error.code, message }, isFinal, retryAfterMs: 0 };
}

/** @param random From 0 to 1: a fifth of the pause more or less, so that what failed together isn't tried together. */
export function pauseOf(
  { backoff, delayMs, delayMsMax }: Pick<Retry, "backoff" | "delayMs" | "delayMsMax">,
  attempts: number,
  random: number,
): number {
  const factor = backoff === "constant" ? 1 : backoff === "linear" ? attempts : 2 ** Math.min(attempts - 1, 30);
  return Math.round(Math.min(delayMs * factor, delayMsMax) * (0.8 + 0.4 * random));
}
