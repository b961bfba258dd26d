// A project's background work as clients see it: events, runs, queues, schedules, the audit log, and the actions of an owner.
// Types only.
import type { RunKind, RunStatus, StepStatus } from "@plinth/service";
import type { Mutation, Query } from "../procedure.ts";

export type { RunKind, RunStatus, StepStatus };

export interface WorkError {
  readonly code: string;
  readonly message: string;
  /** The beginning of another service's answer, masked. Null if there is none. */
  readonly body?: string | null;
}

/** The error of a failed run in lists. The single run also has the text, masked. */
export interface ListedError {
  readonly code: string;
  /** The step that failed. Null if none had begun. */
  readonly step: string | null;
  /** How many attempts that step had. */
  readonly attempts: number | null;
}

/** All times are RFC 3339. Fields that can be any JSON are optional, because JSON has no value for "missing". */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly kind: RunKind;
  readonly status: RunStatus;
  /** The event that started it. Null if a step or a schedule did. */
  readonly eventId: string | null;
  /** The record of that event. Null also if the event is no longer stored. */
  readonly eventName: string | null;
  /** The run that caused it. */
  readonly causedBy: string | null;
  /** How many runs are in the chain of causes before it. */
  readonly depth: number;
  readonly requestId: string | null;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly error: ListedError | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

export interface RunStep {
  /** `send`; a member of a `for_each`: `send/3`; the steps after a failure: `pay/on_error/refund`, `pay/compensate/refund`. */
  readonly path: string;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error: WorkError | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** When it continues without further action. */
  readonly nextAt: string | null;
}

export interface RunAttempt {
  readonly path: string;
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly error: WorkError | null;
}

export interface RunWait {
  readonly path: string;
  readonly kind: "approval" | "event" | "run";
  /** The name of the event, or the id of the run. */
  readonly event: string | null;
  /** When it stops waiting. */
  readonly until: string | null;
  /** The role that can approve. */
  readonly roles: readonly string[] | null;
  /** Null while it waits. */
  readonly answer?: unknown;
  readonly createdAt: string;
}

export interface Run extends Omit<RunSummary, "error"> {
  readonly error: WorkError | null;
  /** Somebody cancelled it, and its steps are being undone. */
  readonly cancelled: boolean;
  /** The actor of the event that started it. Null if no event did, or if the event is no longer stored. */
  readonly record: { readonly entity: string; readonly id: string } | null;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly steps: readonly RunStep[];
  readonly attempts: readonly RunAttempt[];
  readonly waits: readonly RunWait[];
}

export interface EventSummary {
  readonly id: string;
  readonly name: string;
  readonly at: string;
  readonly entity: string | null;
  readonly recordId: string | null;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly requestId: string | null;
  /** The run of the step that made the change. */
  readonly causedBy: string | null;
}

export interface WorkEvent extends EventSummary {
  readonly record?: unknown;
  /** The previous values of changed fields. */
  readonly old?: unknown;
  /** The data of a declared event. */
  readonly data?: unknown;
  readonly runs: readonly { readonly id: string; readonly workflow: string; readonly status: RunStatus }[];
}

export interface WorkPage<Item> {
  /** Newest first. */
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
}

/** A line of the project's audit log. */
export interface AuditLine {
  readonly id: string;
  readonly at: string;
  readonly requestId: string | null;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly operation: string | null;
  readonly entity: string | null;
  readonly recordId: string | null;
  readonly changes?: unknown;
}

export interface QueueCause {
  readonly code: string;
  readonly status: "failed" | "undo_failed" | "needs_attention";
  readonly count: number;
  readonly lastAt: string;
  /** The step at which the last one failed. Null if none had begun. */
  readonly step: string | null;
  /** How many attempts that step had. */
  readonly attempts: number | null;
}

/** The runs of one workflow, worker or action. */
export interface Queue {
  readonly name: string;
  readonly kind: RunKind;
  /** Whether it is part of the live version. */
  readonly declared: boolean;
  readonly concurrencyMax: number | null;
  /** They only wait for a free process. */
  readonly due: number;
  readonly running: number;
  /** They wait for a time, an event, an approval, or another run. */
  readonly waiting: number;
  /** When the first of the due runs became due. */
  readonly oldestDueAt: string | null;
  /** When the oldest unfinished run arrived. */
  readonly oldestAt: string | null;
  readonly completedHour: number;
  readonly completedDay: number;
  readonly failedDay: number;
  /** Failures within a day, the latest first. */
  readonly failures: readonly QueueCause[];
}

/** The use of something that the operator limits. */
export interface Used {
  readonly used: number;
  readonly allowed: number;
  /** True from 80 % on. */
  readonly near: boolean;
}

/** Stored rows are counted up to ten thousand. Above that, the number is an estimate. */
export interface WorkUsage {
  readonly openRuns: Used;
  readonly openWaits: Used;
  /** Runs in progress. Null if the cell doesn't report them. */
  readonly activeRuns: Used | null;
  /** Calls of other services in progress. Null if the cell doesn't report them. */
  readonly calls: Used | null;
  readonly keptEvents: Used;
  readonly keptRuns: Used;
}

export interface Queues {
  /** The time of the count. Actions on many runs affect those until this time. */
  readonly at: string;
  /** There were too many runs to count: the numbers are lower bounds. */
  readonly partial: boolean;
  /** Events that no worker has handed on yet, at most ten thousand. */
  readonly eventsWaiting: { readonly count: number; readonly oldestAt: string | null };
  readonly usage: WorkUsage;
  readonly queues: readonly Queue[];
}

/** How lost calls ended; `again` repeats them with the same keys. */
export interface BulkSettling {
  readonly calls: "done" | "failed" | "again";
  readonly step?: string | undefined;
  readonly output?: unknown;
  readonly note?: string | undefined;
}

export interface OutOfOrder {
  /** Continue after all other runs of the record, although later ones have begun. */
  readonly outOfOrder?: boolean | undefined;
}

/** The result of an action on many runs. */
export interface BulkDone {
  readonly runs: number;
  /** Further runs, which were too many for one request. */
  readonly left: number;
  /** Runs that were left out, because later runs of their records have begun. */
  readonly overtaken: number;
}

export interface ScheduleState {
  readonly name: string;
  readonly cron: string;
  readonly timezone: string;
  /** The worker or workflow that it starts. */
  readonly run: string;
  readonly overlap: "skip" | "queue" | "allow";
  readonly catchUp: "none" | "last" | "all";
  /** The next five times, even if it is paused. */
  readonly next: readonly string[];
  /** When a tick or a person last started a run, and that run. */
  readonly lastAt: string | null;
  readonly lastRun: { readonly id: string; readonly status: RunStatus | null } | null;
  readonly pausedAt: string | null;
  readonly pausedBy: string | null;
  /** How many ticks would start immediately if it were resumed now. */
  readonly missed: number;
}

/**
 * The secret that signs calls to the project's own services: `whsec_` and base64. A person who has it can pretend to be the
 * project.
 */
export interface SigningSecret {
  readonly secret: string;
  /** The previous secret, while it also signs. `until` is RFC 3339. */
  readonly previous: { readonly secret: string; readonly until: string } | null;
}

interface PageInput {
  projectId: string;
  cursor?: string | undefined;
  limit?: number | undefined;
}

interface ScheduleName {
  projectId: string;
  schedule: string;
}

interface RunName {
  projectId: string;
  runId: string;
}

interface ApprovalAnswer {
  /** The path of the step that waits for an approval, and since when it waits, as they were shown. */
  readonly step: string;
  readonly since: string;
  readonly approved: boolean;
  readonly note?: string | undefined;
}

interface Settled extends RunName, OutOfOrder {
  /** The path of a step. */
  readonly step?: string | undefined;
  readonly note?: string | undefined;
}

export type WorkProcedures = {
  /** Null if the live version has no module `workers`. */
  events: Query<
    PageInput & {
      entity?: string | undefined;
      name?: string | undefined;
      recordId?: string | undefined;
      requestId?: string | undefined;
    },
    WorkPage<EventSummary> | null
  >;
  event: Query<{ projectId: string; eventId: string }, WorkEvent>;
  /** Null if the live version has no module `workers`. */
  runs: Query<
    PageInput & {
      eventId?: string | undefined;
      requestId?: string | undefined;
      status?: RunStatus | undefined;
      workflow?: string | undefined;
    },
    WorkPage<RunSummary> | null
  >;
  run: Query<RunName, Run>;
  /** Cancels the run. Its finished steps are undone in the way that they declare. */
  cancel: Mutation<RunName, { readonly id: string }>;
  /** Retries from the first unfinished step, or from the named one. */
  retry: Mutation<RunName & { from?: string | undefined } & OutOfOrder, { readonly id: string }>;
  approve: Mutation<RunName & ApprovalAnswer, { readonly id: string }>;
  /**
   * For a run that needs attention: the call of this step was successful, with this output. Without a step, all its calls with an
   * unknown result. The run continues after the last of them is settled.
   */
  markDone: Mutation<Settled & { output?: unknown }, { readonly id: string }>;
  /** The same, if the call was not successful: the step fails like after its last attempt. */
  markFailed: Mutation<Settled, { readonly id: string }>;
  /** Null if the live version has no module `workers`. */
  queues: Query<{ projectId: string }, Queues | null>;
  /** All that failed with a code in the day before `until`, the oldest first, a few hundred in one request. */
  retryAll: Mutation<{ projectId: string; workflow: string; kind: RunKind; code: string; until: string }, BulkDone>;
  /** Says how the lost calls ended of all that need attention since before `until`, the oldest first. */
  settleAll: Mutation<{ projectId: string; workflow: string; kind: RunKind; until: string } & BulkSettling, BulkDone>;
  /** All unfinished ones that arrived before `until`, the oldest first, a few hundred in one request. */
  cancelAll: Mutation<{ projectId: string; workflow: string; kind: RunKind; until: string }, BulkDone>;
  /** Null if the live version has no module `workers`. */
  schedules: Query<{ projectId: string }, readonly ScheduleState[] | null>;
  /** Starts its run now. Out: the run. */
  runSchedule: Mutation<ScheduleName, { readonly id: string }>;
  pauseSchedule: Mutation<ScheduleName, { readonly name: string }>;
  /** Missed ticks are handled by `catch_up`, like after an outage, or skipped. */
  resumeSchedule: Mutation<ScheduleName & { skipMissed?: boolean | undefined }, { readonly name: string }>;
  /** A mutation, so that no cache stores the secret, and the log shows who has read it. */
  revealSigningSecret: Mutation<{ projectId: string }, SigningSecret>;
  /** Creates a new secret. The previous one also signs for a day. */
  rotateSigningSecret: Mutation<{ projectId: string }, SigningSecret>;
  /** Calls an action as an operator. Out: its output, or its run if it continues in the background. */
  callAction: Mutation<
    { projectId: string; action: string; input: Record<string, unknown> },
    { readonly answer?: unknown }
  >;
  /** The project's audit log. Null if the live version has no module `audit_logs`. */
  audit: Query<
    PageInput & { requestId?: string | undefined; entity?: string | undefined; recordId?: string | undefined },
    WorkPage<AuditLine> | null
  >;
};
