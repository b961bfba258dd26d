// The reason why a step failed, for its row and for the steps of its `on_error`. In: a code, a message, and what is
// known about a retry.
import type { StepErrorCode, Value } from "@plinth/expression";
import type { StepError } from "./run.ts";

export interface StepFailure {
  /** A retry can't help. Default false. */
  readonly isFinal?: boolean;
  /** The wait that the other service asks for. */
  readonly retryAfterMs?: number;
  /** The HTTP status of another service's answer. */
  readonly status?: number | undefined;
  /** The beginning of its answer, without credentials. */
  readonly body?: string | null | undefined;
  /** It is unknown whether the call had its effect. */
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
  message: "The process that made this call ended before the answer came. Check whether the call had its effect.",
};
export const unknownError: StepError = { code: "internal", message: "The step failed." };

/** `error` in the steps of an `on_error`. */
export interface SeenError extends Readonly<Record<string, Value>> {
  readonly step: string;
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly body: string | null;
  readonly attempts: number;
}

export function seenError(step: string, { code, message, status, body }: StepError, attempts: number): SeenError {
  return { step, code, message, status: status ?? null, body: body ?? null, attempts };
}
