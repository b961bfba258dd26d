// Queues and schedules for people: reading them, and acting on many runs, on a call with an unknown end, and on a
// schedule. Out: the operations and their schemas, in addition to those of events and runs.
import type { JsonObject, ModuleOperation } from "./description.ts";
import { bodySchema, exampleId, exampleTime, id, replySchema, schemaNamed, textOrNull } from "./schema-parts.ts";

const text: JsonObject = { type: "string" };
const count: JsonObject = { type: "integer" };
const at: JsonObject = { type: "string", format: "date-time" };
const atOrNull: JsonObject = { type: ["string", "null"], format: "date-time" };
const kind: JsonObject = { type: "string", enum: ["workflow", "worker", "action"] };
const name: JsonObject = { type: "string", minLength: 1, maxLength: 200 };
const note: JsonObject = { type: "string", maxLength: 2_000 };
const output: JsonObject = { description: "The result of the call." };
export const outOfOrder: JsonObject = {
  type: "boolean",
  default: false,
  description:
    "With `ordered: record`: continue the run after all other runs of its record, although later ones have begun.",
};
const step: JsonObject = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "The path of the step that made the call. Without it: all calls of the run with an unknown end.",
};

function used(description: string): JsonObject {
  const near: JsonObject = { type: "boolean", description: "From 80 % on." };
  return { ...replySchema({ used: count, allowed: count, near }), description };
}

const exampleUsage = {
  open_runs: { used: 12, allowed: 200_000, near: false },
  open_waits: { used: 3, allowed: 200_000, near: false },
  active_runs: { used: 8, allowed: 150, near: false },
  calls: { used: 5, allowed: 20, near: false },
  kept_events: { used: 840_000, allowed: 1_000_000, near: true },
  kept_runs: { used: 52_000, allowed: 1_000_000, near: false },
};

const exampleQueue = { workflow: "send_receipt", kind: "workflow", until: exampleTime };

export const workSchemas: Readonly<Record<string, JsonObject>> = {
  Queues: replySchema({
    at: { ...at, description: "The time of the count." },
    partial: { type: "boolean", description: "Counting stopped at a limit, so the real numbers can be higher." },
    events_waiting: {
      ...replySchema({
        count: { ...count, description: "At most ten thousand, even if there are more." },
        oldest_at: atOrNull,
      }),
      description: "Events that no worker has handled yet, and since when.",
    },
    usage: {
      ...replySchema({
        open_runs: used("Runs that have not ended."),
        open_waits: used("Events, approvals and other runs for which runs wait."),
        active_runs: used("Runs that are in progress now."),
        calls: used("Calls of other services that are in progress."),
        kept_events: used("Stored events; an estimate above ten thousand."),
        kept_runs: used("Stored runs; an estimate above ten thousand."),
      }),
      description: "The operator's limits, and how much of them the project uses.",
    },
    queues: {
      type: "array",
      items: replySchema({
        name: text,
        kind,
        declared: { type: "boolean", description: "Whether the live version still declares it." },
        concurrency_max: { type: ["integer", "null"] },
        due: { ...count, description: "Runs that only wait for a free process." },
        running: count,
        waiting: { ...count, description: "Runs that wait for a time, an event, an approval or another run." },
        oldest_due_at: atOrNull,
        oldest_at: atOrNull,
        completed_hour: count,
        completed_day: count,
        failed_day: count,
        failures: {
          type: "array",
          items: replySchema({
            code: text,
            status: { type: "string", enum: ["failed", "undo_failed", "needs_attention"] },
            count,
            last_at: at,
            step: {
              ...textOrNull,
              description: "The step at which the last of them failed. Its message is in `GET /v1/runs/{id}`.",
            },
            attempts: { type: ["integer", "null"], description: "How often this step was tried." },
          }),
        },
      }),
    },
  }),
  Schedule: replySchema({
    name: text,
    cron: text,
    timezone: text,
    run: { ...text, description: "The worker or workflow that it starts." },
    overlap: { type: "string", enum: ["skip", "queue", "allow"] },
    catch_up: { type: "string", enum: ["none", "last", "all"] },
    next: { type: "array", items: at, description: "The next five times." },
    last_at: { ...atOrNull, description: "When it last started a run, on schedule or by hand." },
    last_run: { type: ["object", "null"] },
    paused_at: atOrNull,
    paused_by: textOrNull,
    missed: { ...count, description: "For a paused schedule: the runs that would start at once after a resume." },
  }),
};

const exampleSchedule = {
  name: "nightly",
  cron: "0 2 * * *",
  timezone: "Europe/Berlin",
  run: "tidy",
  overlap: "skip",
  catch_up: "last",
  next: [exampleTime],
  last_at: null,
  last_run: null,
  paused_at: null,
  paused_by: null,
  missed: 0,
};

type OperationOptions = Pick<ModuleOperation, "path" | "summary">;

function reading(operation: string, options: OperationOptions, schema: JsonObject, example: unknown): ModuleOperation {
  return {
    id: `project.${operation}`,
    method: "GET",
    ...options,
    tag: "project",
    audience: "admin",
    query: null,
    body: null,
    replies: { 200: { description: "All queues", content: { kind: "data", schema, example: example as JsonObject } } },
    faults: [400, 401, 403, 429, 503],
    sdk: null,
  };
}

interface Acting extends OperationOptions {
  readonly body: JsonObject;
  readonly sent: JsonObject;
  readonly reply: JsonObject;
  readonly answered: JsonObject;
  readonly isOptional?: boolean;
}

function acting(
  operation: string,
  { path, summary, body, sent, reply, answered, isOptional }: Acting,
): ModuleOperation {
  return {
    id: `project.${operation}`,
    method: "POST",
    path,
    summary,
    tag: "project",
    audience: "admin",
    query: null,
    body: { schema: body, example: sent, ...(isOptional === true ? { isOptional } : {}) },
    replies: { 202: { description: "Noted", content: { kind: "data", schema: reply, example: answered } } },
    faults: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
    sdk: null,
  };
}

const run = { reply: replySchema({ id }), answered: { id: exampleId } };
const bulk = {
  reply: replySchema({
    runs: count,
    left: { ...count, description: "Further runs, for the next request." },
    overtaken: { ...count, description: "Runs that were left out, because later runs of their records have begun." },
  }),
  answered: { runs: 12, left: 0, overtaken: 0 },
};
const schedule = { sent: { schedule: "nightly" }, reply: replySchema({ name: text }), answered: { name: "nightly" } };

export const workOperations: readonly ModuleOperation[] = [
  acting("settle_run", {
    path: "/v1/runs/{id}/done",
    summary: "Report that a call succeeded, and go on with its output (admin)",
    body: bodySchema({ step, output, note, out_of_order: outOfOrder }, []),
    sent: { step: "charge", output: { id: "ch_1" } },
    isOptional: true,
    ...run,
  }),
  acting("fail_run", {
    path: "/v1/runs/{id}/fail",
    summary: "Report that a call had no effect: the run fails, and its steps are undone (admin)",
    body: bodySchema({ step, note, out_of_order: outOfOrder }, []),
    sent: { step: "charge" },
    isOptional: true,
    ...run,
  }),
  reading(
    "queues",
    { path: "/v1/queues", summary: "Read how much work there is for each workflow, and why runs failed (admin)" },
    schemaNamed("Queues"),
    { at: exampleTime, partial: false, events_waiting: { count: 0, oldest_at: null }, usage: exampleUsage, queues: [] },
  ),
  acting("retry_queue", {
    path: "/v1/queues/retry",
    summary: "Retry runs that failed with one code in the day before a time, the oldest 500 (admin)",
    body: bodySchema({ workflow: name, kind, until: at, code: name }, ["workflow", "kind", "until", "code"]),
    sent: { ...exampleQueue, code: "timeout" },
    ...bulk,
  }),
  acting("settle_queue", {
    path: "/v1/queues/settle",
    summary: "Say how the lost calls of runs ended that need attention since before a time, the oldest 500 (admin)",
    body: bodySchema(
      {
        workflow: name,
        kind,
        until: at,
        calls: {
          type: "string",
          enum: ["done", "failed", "again"],
          description:
            "How the calls ended. `again`: repeat them with the same keys, for a service that acts once for each key.",
        },
        step: {
          ...name,
          description: "Only calls of this step, for a list without the numbers of its members. Not for `again`.",
        },
        output,
        note,
      },
      ["workflow", "kind", "until", "calls"],
    ),
    sent: { ...exampleQueue, calls: "done" },
    ...bulk,
  }),
  acting("cancel_queue", {
    path: "/v1/queues/cancel",
    summary: "Cancel unfinished runs from before a time, the oldest 500 (admin)",
    body: bodySchema({ workflow: name, kind, until: at }, ["workflow", "kind", "until"]),
    sent: exampleQueue,
    ...bulk,
  }),
  reading(
    "schedules",
    { path: "/v1/schedules", summary: "List the schedules, with their next times and last runs (admin)" },
    { type: "array", items: schemaNamed("Schedule") },
    [exampleSchedule],
  ),
  acting("run_schedule", {
    path: "/v1/schedules/run",
    summary: "Start a run of a schedule now (admin)",
    body: bodySchema({ schedule: name }, ["schedule"]),
    ...schedule,
    ...run,
  }),
  acting("pause_schedule", {
    path: "/v1/schedules/pause",
    summary: "Pause a schedule (admin)",
    body: bodySchema({ schedule: name }, ["schedule"]),
    ...schedule,
  }),
  acting("resume_schedule", {
    path: "/v1/schedules/resume",
    summary: "Resume a schedule; its `missed` setting decides about missed runs (admin)",
    body: bodySchema({ schedule: name, skip_missed: { type: "boolean" } }, ["schedule"]),
    ...schedule,
  }),
];
