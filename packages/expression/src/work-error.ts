// The codes by which a step of background work fails. In: nothing. Out: the list. Conditions on `error.code` are checked against it,
// and no step fails by another one.

/** Sorted. Those of `Fault`s that a step may meet are called as they are in replies. */
export const stepErrorCodes = [
  "bad_request",
  /** Who called the action, or their membership, is gone. */
  "caller_gone",
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
  /** Nobody knows whether the call had its effect. */
  "no_answer",
  /** `for_each` was given something else. */
  "no_list",
  "not_found",
  "organization_required",
  "reference_restricted",
  /** The operator doesn't allow calls of this address. */
  "refused",
  /** Somebody refused an approval. */
  "rejected",
  /** It took too long, or nobody approved in time. */
  "timeout",
  "too_large",
  "transition_not_allowed",
  "unique_violation",
  "unreachable",
  "validation_failed",
] as const;

export type StepErrorCode = (typeof stepErrorCodes)[number];
