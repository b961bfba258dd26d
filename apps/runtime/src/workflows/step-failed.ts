// Why a step failed, as its row tells, and as the steps of its `on_error` see it. In: a code, a sentence, and what is known of another
// try.
import type { StepErrorCode, Value } from "@plinth/expression";
import type { StepError } from "./run.ts";

export interface StepFailure {
  /** Trying again can't help. Default false. */
  readonly isFinal?: boolean;
  /** The other side asks to wait so long. */
  readonly retryAfterMs?: number;
  /** The HTTP status that another service answered with. */
  readonly status?: number | undefined;
  /** Nobody knows whether the call had its effect. */
  readonly isUnknown?: boolean;
}

export class StepFailed extends Error {
  readonly code: StepErrorCode;
  readonly failure: StepFailure;

  constructor(code: StepErrorCode, message: string, failure: StepFailure = {}) {
    super(message);
    this.name = "StepFailed";
    this.code = code;
    this.failure = failure;
  }
}

export const lostAnswer: StepError = {
  code: "no_answer",
  message: "The process that made this call ended before the answer came: see whether it had its effect.",
};
export const unknownError: StepError = { code: "internal", message: "The step failed." };

/** `error` in the steps of an `on_error`. */
export interface SeenError extends Readonly<Record<string, Value>> {
  readonly step: string;
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly attempts: number;
}

export function seenError(step: string, { code, message, status }: StepError, attempts: number): SeenError {
  return { step, code, message, status: status ?? null, attempts };
}
