// Whether a step is tried again, and when. In: an error, or how often it failed. Out: what its row tells, or a pause.
import { stepErrorCode } from "@plinth/expression";
import { sqlState } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { type Pauses, pauseBefore } from "../events/backoff.ts";
import type { StepError } from "./run.ts";
import { StepFailed } from "./step-failed.ts";

export interface Failed {
  readonly error: StepError;
  /** Trying again can't help. */
  readonly isFinal: boolean;
  readonly retryAfterMs: number;
}

/**
 * Null for what is no failure of the step: a mistake of ours, or a database that could not be reached. The run goes on later,
 * and the step has lost none of its tries.
 */
export function errorOf(error: unknown): Failed | null {
  if (error instanceof StepFailed) {
    const { isFinal = false, retryAfterMs = 0, status } = error.failure;
    const answered = status === undefined ? {} : { status };
    return { error: { code: error.code, message: error.message, ...answered }, isFinal, retryAfterMs };
  }
  if (sqlState(error)?.startsWith(INVALID_DATA) === true) {
    return { error: { code: "invalid_value", message: "It gave a value that the database can't keep." }, ...final };
  }
  if (!(error instanceof Fault) || notTheSteps.includes(error.code)) return null;
  // Some faults say the same of the whole and of the field that it is about.
  const further = error.errors.filter(({ message }) => message !== error.message);
  const details = further.map(({ path, message }) => `${path} ${message}`).join(" ");
  const message = [error.message, details].filter((part) => part !== "").join(" ");
  const code = stepErrorCode(error.code) ?? "internal";
  return { error: { code, message }, isFinal: error.code !== "timeout", retryAfterMs: 0 };
}

/** Why nothing can help it. @throws the error itself where something may. */
export function finalOf(error: unknown): StepError {
  const failed = errorOf(error);
  if (failed?.isFinal !== true) throw error;
  return failed.error;
}

/** Statuses below 500 that say that a later try may succeed, RFC 9110 and 6585. */
export const laterStatuses: readonly number[] = [408, 425, 429];

/** Such as a character U+0000 in what another service answered. */
const INVALID_DATA = "22";
const final = { isFinal: true, retryAfterMs: 0 } as const;
const notTheSteps: readonly string[] = ["internal", "unavailable", "rate_limited"];

/** @param random From 0 to 1: a fifth of the pause more or less, so that what failed together isn't tried together. */
export function pauseOf(pauses: Pauses, attempts: number, random: number): number {
  return Math.round(pauseBefore(pauses, attempts) * (0.8 + 0.4 * random));
}
