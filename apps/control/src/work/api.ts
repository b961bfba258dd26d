// What a client sees of a project's work in the background: its events, its runs, and what an owner may do to a run. Types alone.
import type { Mutation, Query } from "../procedure.ts";

export type RunStatus = "queued" | "running" | "waiting" | "completed" | "failed" | "cancelled" | "needs_attention";

export type RunKind = "workflow" | "worker" | "action";

export type StepStatus = "delayed" | "started" | "waiting" | "retrying" | "completed" | "skipped" | "failed";

export interface WorkError {
  readonly code: string;
  readonly message: string;
}

/** All times are RFC 3339. What may be any JSON is optional: the wire can't tell it from what is not there. */
export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly kind: RunKind;
  readonly status: RunStatus;
  /** The event that started it; null where a step or a schedule did. */
  readonly eventId: string | null;
  /** The run that caused it. */
  readonly causedBy: string | null;
  /** How many runs stand behind it. */
  readonly depth: number;
  readonly requestId: string | null;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly error: WorkError | null;
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

export interface Run extends RunSummary {
  /** Somebody asked it to stop; what it has done is being undone. */
  readonly cancelled: boolean;
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
}

export interface WorkEvent extends EventSummary {
  /** The run whose step made the write. */
  readonly causedBy: string | null;
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

interface PageInput {
  projectId: string;
  cursor?: string | undefined;
  limit?: number | undefined;
}

interface RunName {
  projectId: string;
  runId: string;
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
  approve: Mutation<RunName & { approved: boolean; note?: string | undefined }, { readonly id: string }>;
};
