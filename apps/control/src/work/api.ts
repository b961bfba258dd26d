// What a client sees of a project's work in the background: its events and runs, its queues and schedules, who changed what, and
// what an owner may do about them. Types alone.
import type { RunKind, RunStatus, StepStatus } from "@plinth/service";
import type { Mutation, Query } from "../procedure.ts";

export type { RunKind, RunStatus, StepStatus };

export interface WorkError {
  readonly code: string;
  readonly message: string;
}

/** Why a run failed, as lists say it: the text is with the single run, masked. */
export interface ListedError {
  readonly code: string;
  /** The step that failed; null where none had begun. */
  readonly step: string | null;
  /** How often that step was tried. */
  readonly attempts: number | null;
}

/** All times are RFC 3339. What may be any JSON is optional: the wire can't tell it from what is not there. */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly kind: RunKind;
  readonly status: RunStatus;
  /** The event that started it; null where a step or a schedule did. */
  readonly eventId: string | null;
  /** Of that event; null also where it is kept no longer. */
  readonly eventName: string | null;
  /** The run that caused it. */
  readonly causedBy: string | null;
  /** How many runs stand behind it. */
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
  /** `send`; a member of a `for_each`: `send/3`; what follows a failure: `pay/on_error/refund`, `pay/compensate/refund`. */
  readonly path: string;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error: WorkError | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** When it goes on by itself. */
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
  /** The event's name, or the id of the run. */
  readonly event: string | null;
  /** When it gives up. */
  readonly until: string | null;
  /** Who may approve. */
  readonly roles: readonly string[] | null;
  /** Null while it waits. */
  readonly answer?: unknown;
  readonly createdAt: string;
}

export interface Run extends Omit<RunSummary, "error"> {
  readonly error: WorkError | null;
  /** Somebody asked it to stop; what it has done is being undone. */
  readonly cancelled: boolean;
  /** Whose event started it; null where none did, or where the event is kept no longer. */
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
  /** The run whose step made the write. */
  readonly causedBy: string | null;
}

export interface WorkEvent extends EventSummary {
  readonly record?: unknown;
  /** The previous values of what changed. */
  readonly old?: unknown;
  /** What a declared event carries. */
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
  readonly status: "failed" | "needs_attention";
  readonly count: number;
  readonly lastAt: string;
  /** The step that the last one failed at; null where it had begun none. */
  readonly step: string | null;
  /** How often that step was tried. */
  readonly attempts: number | null;
}

/** The runs of one workflow, worker or action. */
export interface Queue {
  readonly name: string;
  readonly kind: RunKind;
  /** Whether the live version has it. */
  readonly declared: boolean;
  readonly concurrencyMax: number | null;
  /** Nothing but a free process is missing. */
  readonly due: number;
  readonly running: number;
  /** For a time, an event, an approval, another run. */
  readonly waiting: number;
  /** Since when the first of those that are due is. */
  readonly oldestDueAt: string | null;
  /** When the oldest of those that have not ended came. */
  readonly oldestAt: string | null;
  readonly completedHour: number;
  readonly completedDay: number;
  readonly failedDay: number;
  /** In a day, the latest first. */
  readonly failures: readonly QueueCause[];
}

/** How much there is of something that the operator limits. */
export interface Used {
  readonly used: number;
  readonly allowed: number;
  /** From 80 % on. */
  readonly near: boolean;
}

/** What is kept is counted up to ten thousand; beyond it, the number is an estimate. */
export interface WorkUsage {
  readonly openRuns: Used;
  readonly openWaits: Used;
  readonly keptEvents: Used;
  readonly keptRuns: Used;
}

export interface Queues {
  /** When the cell counted: what is done about many runs at once is about those of until then. */
  readonly at: string;
  /** There were too many runs to count: the numbers are at least these. */
  readonly partial: boolean;
  /** Events that no worker has handed on yet: ten thousand where there are more. */
  readonly eventsWaiting: { readonly count: number; readonly oldestAt: string | null };
  readonly usage: WorkUsage;
  readonly queues: readonly Queue[];
}

/** What was asked of many runs at once. */
export interface BulkDone {
  readonly runs: number;
  /** What was meant as well, and was too much for once. */
  readonly left: number;
}

export interface ScheduleState {
  readonly name: string;
  readonly cron: string;
  readonly timezone: string;
  /** The worker or workflow that it starts. */
  readonly run: string;
  readonly overlap: "skip" | "queue" | "allow";
  readonly catchUp: "none" | "last" | "all";
  /** The next five times, whether it is paused or not. */
  readonly next: readonly string[];
  /** When a tick, or somebody by hand, last started a run, and that run. */
  readonly lastAt: string | null;
  readonly lastRun: { readonly id: string; readonly status: RunStatus | null } | null;
  readonly pausedAt: string | null;
  readonly pausedBy: string | null;
  /** How many ticks would start at once if it went on now. */
  readonly missed: number;
}

/** What calls to the project's own services are signed with: `whsec_` and base64. Whoever has it can pass for the project. */
export interface SigningSecret {
  readonly secret: string;
  /** The one before, while it signs as well; `until` is RFC 3339. */
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
  /** The path of the step whose approval was read, and since when that waits. */
  readonly step: string;
  readonly since: string;
  readonly approved: boolean;
  readonly note?: string | undefined;
}

interface Settled extends RunName {
  /** The path of a step. */
  readonly step?: string | undefined;
  readonly note?: string | undefined;
}

export type WorkProcedures = {
  /** Null where the live version has no module `workers`. */
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
  /** Null where the live version has no module `workers`. */
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
  /** Asks the run to stop. What it has done is undone as its steps say. */
  cancel: Mutation<RunName, { readonly id: string }>;
  /** Goes on from the first step that did not complete, or from the one that is named. */
  retry: Mutation<RunName & { from?: string | undefined }, { readonly id: string }>;
  approve: Mutation<RunName & ApprovalAnswer, { readonly id: string }>;
  /**
   * Of a run that needs attention: the call of this step has had its effect, and gave this output. Without a step, all its calls
   * whose end is unknown. The run goes on when the last of them is settled.
   */
  markDone: Mutation<Settled & { output?: unknown }, { readonly id: string }>;
  /** The same, had the call no effect: the step fails as after a last attempt. */
  markFailed: Mutation<Settled, { readonly id: string }>;
  /** Null where the live version has no module `workers`. */
  queues: Query<{ projectId: string }, Queues | null>;
  /** All that failed with a code in the day before `until`, the oldest first, a few hundred at once. */
  retryAll: Mutation<{ projectId: string; workflow: string; kind: RunKind; code: string; until: string }, BulkDone>;
  /** All that have not ended and came before `until`, the oldest first, a few hundred at once. */
  cancelAll: Mutation<{ projectId: string; workflow: string; kind: RunKind; until: string }, BulkDone>;
  /** Null where the live version has no module `workers`. */
  schedules: Query<{ projectId: string }, readonly ScheduleState[] | null>;
  /** Starts its run now. Out: the run. */
  runSchedule: Mutation<ScheduleName, { readonly id: string }>;
  pauseSchedule: Mutation<ScheduleName, { readonly name: string }>;
  /** What was missed is as after an outage: `catch_up` says what becomes of it, unless it is left out. */
  resumeSchedule: Mutation<ScheduleName & { skipMissed?: boolean | undefined }, { readonly name: string }>;
  /** No query: it is kept in no cache, and whoever sees it is in the log. */
  revealSigningSecret: Mutation<{ projectId: string }, SigningSecret>;
  /** Another one from now on; the last one signs beside it for a day. */
  rotateSigningSecret: Mutation<{ projectId: string }, SigningSecret>;
  /** Calls an action as an operator. Out: what it answers; of one that goes on in the background, its run. */
  callAction: Mutation<
    { projectId: string; action: string; input: Record<string, unknown> },
    { readonly answer?: unknown }
  >;
  /** The project's audit log. Null where the live version has no module `audit_logs`. */
  audit: Query<
    PageInput & { requestId?: string | undefined; entity?: string | undefined; recordId?: string | undefined },
    WorkPage<AuditLine> | null
  >;
};
