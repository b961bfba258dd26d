// The error codes of steps in background work. Conditions on `error.code` are checked against this list, and no step
// fails with another code.

/** Sorted. A code that is also the code of a `Fault` has the same name as in replies. */
export const stepErrorCodes = [
  "bad_request",
  /** The user who called the action, or their membership, no longer exists. */
  "caller_gone",
  /** The worker's run was cancelled. */
  "cancelled",
  "cascade_too_large",
  "conflict",
  "deployment_required",
  "forbidden",
  /** Another service answered with an error. */
  "http_status",
  /** An error that the author can't fix. */
  "internal",
  /** A value that the database can't store. */
  "invalid_value",
  /** Somebody checked how a call had ended, and reported that it failed. */
  "marked_failed",
  /** The worker's run waits for a person. */
  "needs_attention",
  /** It is not known whether the call had its effect. */
  "no_answer",
  /** The deployed version can't read the worker that the run started with. */
  "no_definition",
  /** The value of `for_each` is not a list. */
  "no_list",
  /** The worker's record does not exist. */
  "no_record",
  "not_found",
  "organization_required",
  "reference_restricted",
  /** The operator doesn't allow calls to this address. */
  "refused",
  /** An approval was refused. */
  "rejected",
  /** It took too long, or nobody approved in time. */
  "timeout",
  /** Runs have started each other too often. */
  "too_deep",
  "too_large",
  /** The project has as many runs that have not ended as its operator allows. */
  "too_many_runs",
  /** The same of what they wait for. */
  "too_many_waits",
  "transition_not_allowed",
  "unique_violation",
  "unreachable",
  "validation_failed",
] as const;

/** Null where no step fails by it. */
export function stepErrorCode(code: string): StepErrorCode | null {
  return stepErrorCodes.find((each) => each === code) ?? null;
}

export type StepErrorCode = (typeof stepErrorCodes)[number];
