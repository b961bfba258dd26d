// The words of background work that a cell, the control plane and the command line share: the states of runs and steps, and the
// members of a run in a list. Data alone.

/** `needs_attention`: a call was made whose end nobody knows, and which must not be made twice. */
export const runStatuses = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "needs_attention",
] as const;

export type RunStatus = (typeof runStatuses)[number];

/** `delayed`: before it begins. `started`: an outside call is under way, or its answer was lost. */
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

/** What a list says of a run, as the table of runs names it. The name of its event stands beside them. */
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

/** What a list says of an event, as the table of events names it. `cause` has the run whose step made the write. */
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
