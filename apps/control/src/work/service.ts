// A project's background work, requested from its cell on behalf of a person. In: filters, or an action on a run, a workflow's
// runs or a schedule. Out: the cell's answers. It never touches a tenant's database.
import type { RunKind, RunStatus } from "@plinth/service";
import type { z } from "zod";
import { actorOf, orNull, queryOf, refusals } from "../cells/call-as-person.ts";
import { callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { notFound } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import {
  actionSchema,
  auditPageSchema,
  eventPageSchema,
  eventSchema,
  idSchema,
  runPageSchema,
  runSchema,
  secretSchema,
} from "./answers.ts";
import type {
  AuditLine,
  BulkDone,
  BulkSettling,
  EventSummary,
  OutOfOrder,
  Queues,
  Run,
  RunSummary,
  ScheduleState,
  SigningSecret,
  WorkEvent,
  WorkPage,
} from "./api.ts";
import { bulkSchema, nameSchema, queuesSchema, schedulesSchema } from "./queue-answers.ts";
import type { WorkAct, WorkStore } from "./store.ts";

interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
  readonly requestId?: string | undefined;
}

interface EventsRequest extends PageRequest {
  readonly entity?: string | undefined;
  readonly name?: string | undefined;
  readonly recordId?: string | undefined;
}

interface RunsRequest extends PageRequest {
  readonly eventId?: string | undefined;
  readonly status?: RunStatus | undefined;
  readonly workflow?: string | undefined;
}

interface AuditRequest extends PageRequest {
  readonly entity?: string | undefined;
  readonly recordId?: string | undefined;
}

interface Done {
  readonly id: string;
}

interface Named {
  readonly name: string;
}

export interface WorkService {
  events(by: Person, project: ProjectAccess, request: EventsRequest): Promise<WorkPage<EventSummary> | null>;
  event(by: Person, project: ProjectAccess, eventId: string): Promise<WorkEvent>;
  runs(by: Person, project: ProjectAccess, request: RunsRequest): Promise<WorkPage<RunSummary> | null>;
  run(by: Person, project: ProjectAccess, runId: string): Promise<Run>;
  audit(by: Person, project: ProjectAccess, request: AuditRequest): Promise<WorkPage<AuditLine> | null>;
  queues(by: Person, project: ProjectAccess): Promise<Queues | null>;
  schedules(by: Person, project: ProjectAccess): Promise<readonly ScheduleState[] | null>;
  cancel(by: Person, project: ProjectAccess, runId: string): Promise<Done>;
  retry(by: Person, project: ProjectAccess, runId: string, how: Retrying): Promise<Done>;
  approve(by: Person, project: ProjectAccess, runId: string, answer: Answer): Promise<Done>;
  markDone(by: Person, project: ProjectAccess, runId: string, output: unknown, settled: Settled): Promise<Done>;
  markFailed(by: Person, project: ProjectAccess, runId: string, settled: Settled): Promise<Done>;
  retryAll(by: Person, project: ProjectAccess, queue: QueueName, code: string): Promise<BulkDone>;
  settleAll(by: Person, project: ProjectAccess, queue: QueueName, settling: BulkSettling): Promise<BulkDone>;
  cancelAll(by: Person, project: ProjectAccess, queue: QueueName): Promise<BulkDone>;
  callAction(by: Person, project: ProjectAccess, action: string, input: object): Promise<{ readonly answer?: unknown }>;
  runSchedule(by: Person, project: ProjectAccess, schedule: string): Promise<Done>;
  pauseSchedule(by: Person, project: ProjectAccess, schedule: string): Promise<Named>;
  resumeSchedule(by: Person, project: ProjectAccess, schedule: string, skipMissed: boolean): Promise<Named>;
  revealSecret(by: Person, project: ProjectAccess): Promise<SigningSecret>;
  rotateSecret(by: Person, project: ProjectAccess): Promise<SigningSecret>;
}

interface QueueName {
  readonly workflow: string;
  readonly kind: RunKind;
  /** Only runs that arrived or failed before this time. */
  readonly until: string;
}

interface Retrying extends OutOfOrder {
  /** The path of a step. Undefined: the first unfinished one. */
  readonly from?: string | undefined;
}

/** The call that a person settles, and their reason. */
interface Settled extends OutOfOrder {
  /** The path of a step. Undefined for all calls of the run with an unknown result. */
  readonly step?: string | undefined;
  readonly note?: string | undefined;
}

interface Answer {
  /** The path of the step that waits for an approval, and since when it waits, as they were shown. */
  readonly step: string;
  readonly since: string;
  readonly approved: boolean;
  readonly note: string | null;
}

interface Act<T> extends Pick<WorkAct, "subject" | "action"> {
  readonly detail?: WorkAct["detail"];
  /** The end of the route, after the subject. Null if there is none. */
  readonly verb: string | null;
  readonly body?: object;
  readonly answer: z.ZodType<T>;
}

const lists = {
  run: "runs",
  queue: "queues",
  schedule: "schedules",
  action: "actions",
  signing_secret: "signing-secret",
} as const;
const nouns = {
  run: "run",
  queue: "workflow",
  schedule: "schedule",
  action: "action",
  signing_secret: "signing secret",
} as const;
/** A project has only one. */
const calls = "calls";

export function createWorkService({ cells, store }: { readonly cells: Cells; readonly store: WorkStore }): WorkService {
  const look = <T>(by: Person, project: ProjectAccess, path: string, answer: z.ZodType<T>): Promise<T> =>
    cells.look(project, actorOf(by, project), path, answer);
  const act = async <T>(
    by: Person,
    project: ProjectAccess,
    { subject, action, detail = {}, verb, body = {}, answer }: Act<T>,
  ): Promise<T> => {
    const kind = action.slice(0, action.indexOf(".")) as keyof typeof lists;
    // Recorded before the call, so that no action is missing in the log. An entry may belong to an action that was refused.
    await store.audit({ personId: by.id, projectId: project.id, subject, action, detail });
    // Names are in the body, ids in the path.
    const names = kind === "run" || kind === "action" ? `/${encodeURIComponent(subject)}` : "";
    const route = `/v1/${lists[kind]}${names}${verb === null ? "" : `/${verb}`}`;
    const done = cells.act(project, actorOf(by, project), route, body, answer);
    return callCell(done, { ...refusals, 404: () => notFound(nouns[kind]) });
  };
  const noted = (note: string | null): { readonly note?: string } => (note === null ? {} : { note });
  return {
    events: (by, project, { cursor, limit, entity, name, recordId, requestId }) => {
      const filters = { cursor, limit, entity, name, record_id: recordId, request_id: requestId };
      return orNull(look(by, project, `/v1/events?${queryOf(filters)}`, eventPageSchema));
    },
    event: (by, project, eventId) =>
      callCell(look(by, project, `/v1/events/${eventId}`, eventSchema), { ...refusals, 404: () => notFound("event") }),
    runs: (by, project, { cursor, limit, eventId, requestId, status, workflow }) => {
      const filters = { cursor, limit, event_id: eventId, request_id: requestId, status, workflow };
      return orNull(look(by, project, `/v1/runs?${queryOf(filters)}`, runPageSchema));
    },
    run: (by, project, runId) =>
      callCell(look(by, project, `/v1/runs/${runId}`, runSchema), { ...refusals, 404: () => notFound("run") }),
    audit: (by, project, { cursor, limit, entity, recordId, requestId }) => {
      const filters = { cursor, limit, entity, record_id: recordId, request_id: requestId };
      return orNull(look(by, project, `/v1/audit-log?${queryOf(filters)}`, auditPageSchema));
    },
    queues: (by, project) => orNull(look(by, project, "/v1/queues", queuesSchema)),
    schedules: (by, project) => orNull(look(by, project, "/v1/schedules", schedulesSchema)),
    cancel: (by, project, runId) =>
      act(by, project, { subject: runId, action: "run.cancelled", verb: "cancel", answer: idSchema }),
    retry: (by, project, runId, { from, outOfOrder }) => {
      const body = { from, out_of_order: outOfOrder };
      return act(by, project, {
        subject: runId,
        action: "run.retried",
        detail: body,
        verb: "retry",
        body,
        answer: idSchema,
      });
    },
    approve: (by, project, runId, { step, since, approved, note }) =>
      act(by, project, {
        subject: runId,
        action: approved ? "run.approved" : "run.refused",
        detail: { step, ...noted(note) },
        verb: "approve",
        body: { step, since, approved, ...noted(note) },
        answer: idSchema,
      }),
    // The output is data of the project, so it isn't in control's log.
    markDone: (by, project, runId, output, { step, note, outOfOrder }) =>
      act(by, project, {
        subject: runId,
        action: "run.marked_done",
        detail: { step, note },
        verb: "done",
        body: { step, output, note, out_of_order: outOfOrder },
        answer: idSchema,
      }),
    markFailed: (by, project, runId, { step, note, outOfOrder }) =>
      act(by, project, {
        subject: runId,
        action: "run.marked_failed",
        detail: { step, note },
        verb: "fail",
        body: { step, note, out_of_order: outOfOrder },
        answer: idSchema,
      }),
    retryAll: (by, project, { workflow, kind, until }, code) => {
      const body = { kind, code, until };
      return act(by, project, {
        subject: workflow,
        action: "queue.retried",
        detail: body,
        verb: "retry",
        body: { workflow, ...body },
        answer: bulkSchema,
      });
    },
    settleAll: (by, project, { workflow, kind, until }, { calls, step, output, note }) => {
      const detail = { kind, until, calls, step, note };
      return act(by, project, {
        subject: workflow,
        action: "queue.settled",
        detail,
        verb: "settle",
        body: { workflow, ...detail, output },
        answer: bulkSchema,
      });
    },
    cancelAll: (by, project, { workflow, kind, until }) => {
      const body = { kind, until };
      return act(by, project, {
        subject: workflow,
        action: "queue.cancelled",
        detail: body,
        verb: "cancel",
        body: { workflow, ...body },
        answer: bulkSchema,
      });
    },
    // The input is in the project's own log, with its masked values.
    callAction: (by, project, action, input) =>
      act(by, project, { subject: action, action: "action.called", verb: null, body: input, answer: actionSchema }),
    runSchedule: (by, project, schedule) =>
      act(by, project, {
        subject: schedule,
        action: "schedule.run",
        verb: "run",
        body: { schedule },
        answer: idSchema,
      }),
    pauseSchedule: (by, project, schedule) =>
      act(by, project, {
        subject: schedule,
        action: "schedule.paused",
        verb: "pause",
        body: { schedule },
        answer: nameSchema,
      }),
    resumeSchedule: (by, project, schedule, skipMissed) => {
      const body = skipMissed ? { skip_missed: true } : {};
      return act(by, project, {
        subject: schedule,
        action: "schedule.resumed",
        detail: body,
        verb: "resume",
        body: { schedule, ...body },
        answer: nameSchema,
      });
    },
    revealSecret: async (by, project) => {
      const seen = {
        personId: by.id,
        projectId: project.id,
        subject: calls,
        action: "signing_secret.revealed",
      } as const;
      await store.audit({ ...seen, detail: {} });
      const secret = look(by, project, "/v1/signing-secret", secretSchema);
      return callCell(secret, { ...refusals, 404: () => notFound(nouns.signing_secret) });
    },
    rotateSecret: (by, project) =>
      act(by, project, { subject: calls, action: "signing_secret.rotated", verb: "rotate", answer: secretSchema }),
  };
}
