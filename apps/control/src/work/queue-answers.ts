// Parses a cell's answers about queues and schedules. In: its JSON. Out: the types of `api.ts`. Any other JSON is an error.
import { runKinds, runStatuses } from "@plinth/service";
import { z } from "zod";
import { one } from "./answers.ts";
import type { BulkDone, Queue, QueueCause, Queues, ScheduleState, Used, WorkUsage } from "./api.ts";

const text = z.string().nullable();

const cause: z.ZodType<QueueCause> = z
  .object({
    code: z.string(),
    status: z.enum(["failed", "undo_failed", "needs_attention"]),
    count: z.number(),
    last_at: z.string(),
    step: text,
    attempts: z.number().nullable(),
  })
  .transform(({ last_at: lastAt, ...rest }) => ({ ...rest, lastAt }));

const queue: z.ZodType<Queue> = z
  .object({
    name: z.string(),
    kind: z.enum(runKinds),
    declared: z.boolean(),
    concurrency_max: z.number().nullable(),
    due: z.number(),
    running: z.number(),
    waiting: z.number(),
    oldest_due_at: text,
    oldest_at: text,
    completed_hour: z.number(),
    completed_day: z.number(),
    failed_day: z.number(),
    failures: z.array(cause),
  })
  .transform((row) => ({
    name: row.name,
    kind: row.kind,
    declared: row.declared,
    concurrencyMax: row.concurrency_max,
    due: row.due,
    running: row.running,
    waiting: row.waiting,
    oldestDueAt: row.oldest_due_at,
    oldestAt: row.oldest_at,
    completedHour: row.completed_hour,
    completedDay: row.completed_day,
    failedDay: row.failed_day,
    failures: row.failures,
  }));

const used: z.ZodType<Used> = z.object({ used: z.number(), allowed: z.number(), near: z.boolean() });

const usage: z.ZodType<WorkUsage> = z
  .object({
    open_runs: used,
    open_waits: used,
    // Cells of an older version don't report these two.
    active_runs: used.nullable().default(null),
    calls: used.nullable().default(null),
    kept_events: used,
    kept_runs: used,
  })
  .transform((row) => ({
    openRuns: row.open_runs,
    openWaits: row.open_waits,
    activeRuns: row.active_runs,
    calls: row.calls,
    keptEvents: row.kept_events,
    keptRuns: row.kept_runs,
  }));

export const queuesSchema: z.ZodType<Queues> = one(
  z
    .object({
      at: z.string(),
      partial: z.boolean(),
      events_waiting: z.object({ count: z.number(), oldest_at: text }),
      usage,
      queues: z.array(queue),
    })
    .transform(({ events_waiting: { count, oldest_at: oldestAt }, ...rest }) => ({
      ...rest,
      eventsWaiting: { count, oldestAt },
    })),
);

export const bulkSchema: z.ZodType<BulkDone> = one(
  // A cell of an earlier release counts no overtaken runs.
  z.object({ runs: z.number(), left: z.number(), overtaken: z.number().default(0) }),
);

const schedule: z.ZodType<ScheduleState> = z
  .object({
    name: z.string(),
    cron: z.string(),
    timezone: z.string(),
    run: z.string(),
    overlap: z.enum(["skip", "queue", "allow"]),
    catch_up: z.enum(["none", "last", "all"]),
    next: z.array(z.string()),
    last_at: text,
    last_run: z.object({ id: z.string(), status: z.enum(runStatuses).nullable() }).nullable(),
    paused_at: text,
    paused_by: text,
    missed: z.number(),
  })
  .transform((row) => ({
    name: row.name,
    cron: row.cron,
    timezone: row.timezone,
    run: row.run,
    overlap: row.overlap,
    catchUp: row.catch_up,
    next: row.next,
    lastAt: row.last_at,
    lastRun: row.last_run,
    pausedAt: row.paused_at,
    pausedBy: row.paused_by,
    missed: row.missed,
  }));

export const schedulesSchema: z.ZodType<readonly ScheduleState[]> = one(z.array(schedule));
export const nameSchema: z.ZodType<{ readonly name: string }> = one(z.object({ name: z.string() }));
