// Parses a cell's answers about events and runs. In: its JSON. Out: the types of `api.ts`, without the parts that clients don't
// use. Any other JSON is an error.

import { type eventColumns, type runColumns, runKinds, runStatuses, stepStatuses } from "@plinth/service";
import { z } from "zod";
import type { AuditLine, EventSummary, Run, RunSummary, SigningSecret, WorkEvent, WorkPage } from "./api.ts";

const text = z.string().nullable();
const anything = z.unknown();

/** Each field has a default, because the name of a masked field can change an error. */
const error = z
  .object({
    code: z.string().catch("unknown"),
    message: z.string().catch(""),
    body: z.string().nullable().default(null).catch(null),
  })
  .nullable();

/** Lists have no text. */
const listedError = z
  .object({ code: z.string().catch("unknown"), step: text, attempts: z.number().nullable() })
  .nullable();

/** The fields that a list and a single run share, and the error of a list. */
const runMembers = {
  id: z.string(),
  workflow: z.string(),
  kind: z.enum(runKinds),
  status: z.enum(runStatuses),
  event_id: text,
  caused_by: text,
  depth: z.number(),
  request_id: text,
  actor_kind: text,
  actor_id: text,
  error: listedError,
  created_at: z.string(),
  started_at: text,
  ended_at: text,
} satisfies Record<(typeof runColumns)[number], z.ZodType>;
const runRow = z.object({ ...runMembers, event_name: text.optional() });

function runOf<E>(
  row: Omit<z.infer<typeof runRow>, "error"> & { readonly error: E },
): Omit<RunSummary, "error"> & { readonly error: E } {
  return {
    id: row.id,
    workflow: row.workflow,
    kind: row.kind,
    status: row.status,
    eventId: row.event_id,
    eventName: row.event_name ?? null,
    causedBy: row.caused_by,
    depth: row.depth,
    requestId: row.request_id,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    error: row.error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

const stepSchema = z
  .object({
    path: z.string(),
    status: z.enum(stepStatuses),
    attempts: z.number(),
    input: anything,
    output: anything,
    error,
    started_at: text,
    ended_at: text,
    next_at: text,
  })
  .transform(({ started_at: startedAt, ended_at: endedAt, next_at: nextAt, input = null, output = null, ...step }) => ({
    ...step,
    input,
    output,
    startedAt,
    endedAt,
    nextAt,
  }));

const attemptSchema = z
  .object({ path: z.string(), attempt: z.number(), started_at: z.string(), ended_at: text, error })
  .transform(({ started_at: startedAt, ended_at: endedAt, ...attempt }) => ({ ...attempt, startedAt, endedAt }));

const waitSchema = z
  .object({
    path: z.string(),
    kind: z.enum(["approval", "event", "run"]),
    event: text,
    until: text,
    roles: z.array(z.string()).nullable(),
    answer: anything,
    created_at: z.string(),
  })
  .transform(({ created_at: createdAt, answer = null, ...wait }) => ({ ...wait, answer, createdAt }));

const run: z.ZodType<Run> = z
  .object({
    ...runMembers,
    error,
    cancelled: z.boolean(),
    record: z.object({ entity: z.string(), id: z.string() }).nullable(),
    input: anything,
    output: anything,
    steps: z.array(stepSchema),
    attempts: z.array(attemptSchema),
    waits: z.array(waitSchema),
  })
  .transform(({ cancelled, record, input = null, output = null, steps, attempts, waits, ...row }) => ({
    ...runOf(row),
    cancelled,
    record,
    input,
    output,
    steps,
    attempts,
    waits,
  }));

const eventMembers = {
  id: z.string(),
  name: z.string(),
  at: z.string(),
  entity: text,
  record_id: text,
  actor_kind: text,
  actor_id: text,
  request_id: text,
  cause: z.object({ run: z.string() }).nullable(),
} satisfies Record<(typeof eventColumns)[number], z.ZodType>;
const eventRow = z.object(eventMembers);

function eventOf(row: z.infer<typeof eventRow>): EventSummary {
  const { id, name, at, entity } = row;
  return {
    id,
    name,
    at,
    entity,
    recordId: row.record_id,
    actorKind: row.actor_kind,
    actorId: row.actor_id,
    requestId: row.request_id,
    causedBy: row.cause?.run ?? null,
  };
}

const event: z.ZodType<WorkEvent> = z
  .object({
    ...eventMembers,
    record: anything,
    old: anything,
    data: anything,
    runs: z.array(z.object({ id: z.string(), workflow: z.string(), status: z.enum(runStatuses) })),
  })
  .transform(({ record = null, old = null, data = null, runs, ...row }) => ({
    ...eventOf(row),
    record,
    old,
    data,
    runs,
  }));

const auditLine: z.ZodType<AuditLine> = z
  .object({
    id: z.string(),
    at: z.string(),
    request_id: text,
    actor_kind: text,
    actor_id: text,
    operation: text,
    entity: text,
    record_id: text,
    changes: anything,
  })
  .transform(({ request_id, actor_kind, actor_id, record_id, ...line }) => ({
    ...line,
    requestId: request_id,
    actorKind: actor_kind,
    actorId: actor_id,
    recordId: record_id,
  }));

export const auditPageSchema: z.ZodType<WorkPage<AuditLine>> = pageOf(auditLine);
export const runPageSchema: z.ZodType<WorkPage<RunSummary>> = pageOf(runRow.transform(runOf));
export const eventPageSchema: z.ZodType<WorkPage<EventSummary>> = pageOf(eventRow.transform(eventOf));

function pageOf<Item>(item: z.ZodType<Item>): z.ZodType<WorkPage<Item>> {
  return z
    .object({ data: z.array(item), page: z.object({ next_cursor: text }) })
    .transform(({ data, page }) => ({ data, nextCursor: page.next_cursor }));
}

export const runSchema: z.ZodType<Run> = one(run);
export const eventSchema: z.ZodType<WorkEvent> = one(event);
export const idSchema: z.ZodType<{ readonly id: string }> = one(z.object({ id: z.string() }));

export const secretSchema: z.ZodType<SigningSecret> = one(
  z.object({ secret: z.string(), previous: z.object({ secret: z.string(), until: z.string() }).nullable() }),
);

/** The output of an action has the type in its declaration. */
export const actionSchema: z.ZodType<{ readonly answer?: unknown }> = z
  .object({ data: anything })
  .transform(({ data }) => ({ answer: data }));

export function one<Item>(item: z.ZodType<Item>): z.ZodType<Item> {
  return z.object({ data: item }).transform(({ data }) => data);
}
