// What a cell answers about events and runs, read. In: its JSON. Out: what `api.ts` promises to clients. What a client has no use
// for is left out; what does not fit is no answer.
import { z } from "zod";
import type { EventSummary, Run, RunSummary, WorkEvent, WorkPage } from "./api.ts";

const text = z.string().nullable();
const anything = z.unknown();

export const runStatuses = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "needs_attention",
] as const;

/** An error that a masked field's name has touched still has both. */
const error = z.object({ code: z.string().catch("unknown"), message: z.string().catch("") }).nullable();

const runColumns = {
  id: z.string(),
  workflow: z.string(),
  kind: z.enum(["workflow", "worker", "action"]),
  status: z.enum(runStatuses),
  event_id: text,
  caused_by: text,
  depth: z.number(),
  request_id: text,
  actor_kind: text,
  actor_id: text,
  error,
  created_at: z.string(),
  started_at: text,
  ended_at: text,
};
const runRow = z.object(runColumns);

function runOf(row: z.infer<typeof runRow>): RunSummary {
  return {
    id: row.id,
    workflow: row.workflow,
    kind: row.kind,
    status: row.status,
    eventId: row.event_id,
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
    status: z.enum(["delayed", "started", "waiting", "retrying", "completed", "skipped", "failed"]),
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
    ...runColumns,
    cancelled: z.boolean(),
    input: anything,
    output: anything,
    steps: z.array(stepSchema),
    attempts: z.array(attemptSchema),
    waits: z.array(waitSchema),
  })
  .transform(({ cancelled, input = null, output = null, steps, attempts, waits, ...row }) => ({
    ...runOf(row),
    cancelled,
    input,
    output,
    steps,
    attempts,
    waits,
  }));

const eventColumns = {
  id: z.string(),
  name: z.string(),
  at: z.string(),
  entity: text,
  record_id: text,
  actor_kind: text,
  actor_id: text,
  request_id: text,
};
const eventRow = z.object(eventColumns);

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
  };
}

const event: z.ZodType<WorkEvent> = z
  .object({
    ...eventColumns,
    cause: z.object({ run: z.string() }).nullable(),
    record: anything,
    old: anything,
    data: anything,
    runs: z.array(z.object({ id: z.string(), workflow: z.string(), status: z.enum(runStatuses) })),
  })
  .transform(({ cause, record = null, old = null, data = null, runs, ...row }) => ({
    ...eventOf(row),
    causedBy: cause?.run ?? null,
    record,
    old,
    data,
    runs,
  }));

export const runPageSchema: z.ZodType<WorkPage<RunSummary>> = pageOf(runRow.transform(runOf));
export const eventPageSchema: z.ZodType<WorkPage<EventSummary>> = pageOf(eventRow.transform(eventOf));

function pageOf<Item>(item: z.ZodType<Item>): z.ZodType<WorkPage<Item>> {
  return z
    .object({ data: z.array(item), page: z.object({ next_cursor: text }) })
    .transform(({ data, page }) => ({ data, nextCursor: page.next_cursor }));
}

export const runSchema: z.ZodType<Run> = one(run);
export const eventSchema: z.ZodType<WorkEvent> = one(event);
export const deedSchema: z.ZodType<{ readonly id: string }> = one(z.object({ id: z.string() }));

function one<Item>(item: z.ZodType<Item>): z.ZodType<Item> {
  return z.object({ data: item }).transform(({ data }) => data);
}
