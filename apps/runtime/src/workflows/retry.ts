// Decides whether and when a step is retried. In: an error, or the number of failures. Out: the error for its row, or a
// pause.
import { stepErrorCode } from "@plinth/expression";
import { sqlState } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { type Pauses, pauseBefore } from "../events/backoff.ts";
import { isBehindOthers } from "../query/within.ts";
import type { StepError } from "./run.ts";
import { StepFailed } from "./step-failed.ts";

export interface Failed {
  readonly error: StepError;
  /** A retry can't help. */
  readonly isFinal: boolean;
  readonly retryAfterMs: number;
}

/**
 * Null if the step didn't cause the failure: a mistake of ours, an unreachable database, or others that were faster. The
 * run continues later, and the attempt isn't counted.
 */
export function errorOf(error: unknown): Failed | null {
  if (error instanceof StepFailed) {
    const { isFinal = false, retryAfterMs = 0, status, body } = error.failure;
    const answered = { ...(status === undefined ? {} : { status }), ...(body == null ? {} : { body }) };
    return { error: { code: error.code, message: error.message, ...answered }, isFinal, retryAfterMs };
  }
  if (sqlState(error)?.startsWith(INVALID_DATA) === true) {
    return {
      error: { code: "invalid_value", message: "The step returned a value that the database can't store." },
      ...final,
    };
  }
  if (!(error instanceof Fault) || notTheSteps.includes(error.code) || isBehindOthers(error)) return null;
  // Some faults give the same message for the whole and for a field.
  const further = error.errors.filter(({ message }) => message !== error.message);
  const details = further.map(({ path, message }) => `${path} ${message}`).join(" ");
  const message = [error.message, details].filter((part) => part !== "").join(" ");
  const code = stepErrorCode(error.code) ?? "internal";
  return { error: { code, message }, isFinal: error.code !== "timeout", retryAfterMs: 0 };
}

/** The final error. @throws the error itself if a retry may help. */
export function finalOf(error: unknown): StepError {
  const failed = errorOf(error);
  if (failed?.isFinal !== true) throw error;
  return failed.error;
}

/** Statuses below 500 after which a later attempt may succeed, RFC 9110 and 6585. */
export const laterStatuses: readonly number[] = [408, 425, 429];

/** Such as a character U+0000 in the answer of another service. */
const INVALID_DATA = "22";
const final = { isFinal: true, retryAfterMs: 0 } as const;
const notTheSteps: readonly string[] = ["internal", "unavailable", "rate_limited"];

/**
 * @param random From 0 to 1: changes the pause by up to a fifth, so that steps that failed together aren't retried
 * together.
 */
export function pauseOf(pauses: Pauses, attempts: number, random: number): number {
  return Math.round(pauseBefore(pauses, attempts) * (0.8 + 0.4 * random));
}
