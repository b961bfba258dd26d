// The codes by which a step of background work fails. In: nothing. Out: the list. Conditions on `error.code` are checked against it,
// and no step fails by another one.

/** Sorted. Those of `Fault`s that a step may meet are called as they are in replies. */
export const stepErrorCodes = [
  "bad_request",
  /** Who called the action, or their membership, is gone. */
  "caller_gone",
  /** The worker's run was cancelled. */
  "cancelled",
  "cascade_too_large",
  "conflict",
  "deployment_required",
  "forbidden",
  /** Another service answered that it failed. */
  "http_status",
  /** Something that no author can do anything about. */
  "internal",
  /** A value that the database can't keep. */
  "invalid_value",
  /** Somebody looked how a call had ended, and said that it failed. */
  "marked_failed",
  /** The worker's run waits for a person. */
  "needs_attention",
  /** Nobody knows whether the call had its effect. */
  "no_answer",
  /** What is deployed by now can't read the worker that the run began with. */
  "no_definition",
  /** `for_each` was given something else. */
  "no_list",
  /** The worker's record is not there. */
  "no_record",
  "not_found",
  "organization_required",
  "reference_restricted",
  /** The operator doesn't allow calls of this address. */
  "refused",
  /** Somebody refused an approval. */
  "rejected",
  /** It took too long, or nobody approved in time. */
  "timeout",
  /** Runs have started one another too often. */
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
