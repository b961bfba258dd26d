// The words of background work that a cell, the control plane and the command line share: the states of runs and steps,
// and the members of a run in a list. Only data.

/**
 * `needs_attention`: a call with an unknown end was made, which must not be repeated. `undo_failed`: the run failed or
 * was cancelled, and a step that undoes another one failed.
 */
export const runStatuses = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "undo_failed",
  "needs_attention",
] as const;

export type RunStatus = (typeof runStatuses)[number];

/** `delayed`: before it starts. `started`: an outside call is running, or its answer was lost. */
export const stepStatuses = [
  "delayed",
  "started",
  "waiting",
  "retrying",
  "completed",
  "skipped",
  "failed",
  "cancelled",
] as const;

export type StepStatus = (typeof stepStatuses)[number];

export const runKinds = ["workflow", "worker", "action"] as const;

export type RunKind = (typeof runKinds)[number];

/** The members of a run in a list, with the names of the table of runs. The name of its event is added. */
export const runColumns = [
  "id",
  "workflow",
  "kind",
  "status",
  "event_id",
  "caused_by",
  "depth",
  "request_id",
  "actor_kind",
  "actor_id",
  "error",
  "created_at",
  "started_at",
  "ended_at",
] as const;

/**
 * The members of an event in a list, with the names of the table of events. `cause` is the run whose step made the
 * write.
 */
export const eventColumns = [
  "id",
  "name",
  "at",
  "entity",
  "record_id",
  "actor_kind",
  "actor_id",
  "request_id",
  "cause",
] as const;
