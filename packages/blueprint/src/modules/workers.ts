// Events and runs for people: reading them, and acting on runs. Out: what a project has if it lists `workers`.
import type { JsonObject, ModuleDescription, ModuleOperation, OperationBody } from "./description.ts";
import { bodySchema, exampleId, exampleTime, id, replySchema, schemaNamed, textOrNull } from "./schema-parts.ts";
import { signingSecretOperations } from "./signing-secret-operations.ts";
import { workerEvents } from "./work-events.ts";
import { outOfOrder, workOperations, workSchemas } from "./work-operations.ts";

export const runStatuses: readonly string[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "undo_failed",
  "needs_attention",
];

const at: JsonObject = { type: "string", format: "date-time" };
const atOrNull: JsonObject = { type: ["string", "null"], format: "date-time" };
const idOrNull: JsonObject = { type: ["string", "null"], format: "uuid" };
const objectOrNull: JsonObject = { type: ["object", "null"] };
const masked = "Masked fields have masked values.";
const failure: JsonObject = {
  ...objectOrNull,
  description:
    "`code` and `message`; if another service answered with an error, the HTTP `status`, and for admins the beginning of its answer as `body`; null if nothing failed.",
};
/** In lists. The message can quote masked values, so only a single run shows it. */
const listedFailure: JsonObject = {
  ...objectOrNull,
  properties: {
    code: { type: "string" },
    step: { ...textOrNull, description: "The step that failed; null if no step had started." },
    attempts: { type: ["integer", "null"], description: "How often this step was tried." },
  },
  required: ["code", "step", "attempts"],
  description: "Why it failed, without the message, which is in `GET /v1/runs/{id}`; null if nothing failed.",
};
const status: JsonObject = { type: "string", enum: runStatuses };

const eventProperties = {
  id,
  name: { type: "string" },
  at,
  entity: textOrNull,
  record_id: idOrNull,
  organization_id: idOrNull,
  actor_kind: textOrNull,
  actor_id: textOrNull,
  request_id: textOrNull,
};
const exampleEvent = {
  id: exampleId,
  name: "order.paid",
  at: exampleTime,
  entity: "order",
  record_id: exampleId,
  organization_id: null,
  actor_kind: "user",
  actor_id: exampleId,
  request_id: exampleId,
};

const runProperties = {
  id,
  workflow: { type: "string", description: "The name of the workflow, the worker or the action." },
  kind: { type: "string" },
  status,
  event_id: idOrNull,
  caused_by: { ...idOrNull, description: "The run that caused the event that started this one." },
  depth: { type: "integer", description: "How many runs led to this one." },
  request_id: textOrNull,
  actor_kind: textOrNull,
  actor_id: textOrNull,
  error: failure,
  created_at: at,
  started_at: atOrNull,
  ended_at: atOrNull,
};
/** The parts of a run that the user who started it can see, too. */
const ownRunProperties = {
  id,
  workflow: runProperties.workflow,
  kind: runProperties.kind,
  status,
  output: { description: "The result, after it has completed." },
  error: failure,
  record: {
    ...objectOrNull,
    properties: { entity: { type: "string" }, id },
    required: ["entity", "id"],
    description: "The id of the event that started it; null if no event did, or if the event has been deleted.",
  },
  waits_for: {
    type: "array",
    items: {
      type: "object",
      properties: {
        kind: { type: "string", enum: ["approval", "event", "run", "time"] },
        roles: {
          type: "array",
          items: { type: "string" },
          description: "For an approval: the roles that can approve.",
        },
        step: { type: "string", description: "For an approval: the step to name in an answer." },
        since: { ...at, description: "For an approval." },
        event: { type: "string" },
        until: atOrNull,
      },
      required: ["kind", "until"],
    },
    description: "What the run waits for.",
  },
  created_at: at,
  started_at: atOrNull,
  ended_at: atOrNull,
};
const exampleRun = {
  id: exampleId,
  workflow: "send_receipt",
  kind: "workflow",
  status: "completed",
  event_id: exampleId,
  caused_by: null,
  depth: 0,
  request_id: exampleId,
  actor_kind: "user",
  actor_id: exampleId,
  error: null,
  created_at: exampleTime,
  started_at: exampleTime,
  ended_at: exampleTime,
};

const part = (description: string): JsonObject => ({ type: "array", items: { type: "object" }, description });

const note: JsonObject = { type: "string", maxLength: 2_000 };
const answer: Readonly<Record<string, JsonObject>> = {
  step: { type: "string", minLength: 1, maxLength: 200, description: "The step of the approval that you read." },
  since: {
    ...at,
    description:
      "The `since` of the approval that you read. If a retry has asked for a new approval at the same step since then, the answer doesn't apply to it.",
  },
  note,
};

type OperationOptions = Pick<ModuleOperation, "path" | "summary" | "query"> & {
  /** The default is `admin`. */
  readonly audience?: ModuleOperation["audience"];
  /** The members of a page. */
  readonly page?: string;
  readonly schema: string;
  readonly example: JsonObject;
  readonly sdk?: string | null;
};

function reading(
  name: string,
  {
    path,
    summary,
    audience = "admin",
    query,
    page = "A page of the log, newest first",
    schema,
    example,
    sdk = null,
  }: OperationOptions,
): ModuleOperation {
  const content = { schema: schemaNamed(schema), example } as const;
  const isPage = query !== null;
  return {
    id: `project.${name}`,
    method: "GET",
    path,
    summary,
    tag: "project",
    audience,
    query,
    body: null,
    replies: {
      200: {
        description: isPage ? page : "The whole audit log",
        content: { kind: isPage ? "page" : "data", ...content },
      },
    },
    faults: isPage ? [400, 401, 403, 429, 503] : [400, 401, 403, 404, 429, 503],
    sdk,
  };
}

function steering(
  name: string,
  {
    path,
    summary,
    audience,
    body,
    sdk = null,
  }: Pick<ModuleOperation, "path" | "summary" | "audience"> & {
    readonly body: OperationBody;
    readonly sdk?: string | null;
  },
): ModuleOperation {
  return {
    id: `project.${name}`,
    method: "POST",
    path,
    summary,
    tag: "project",
    audience,
    query: null,
    body,
    replies: {
      202: {
        description: "Saved; the run goes on",
        content: { kind: "data", schema: replySchema({ id }), example: { id: exampleId } },
      },
    },
    faults: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
    sdk,
  };
}

export const workersDescription: ModuleDescription = {
  module: "workers",
  entity: null,
  events: workerEvents,
  schemas: {
    ...workSchemas,
    Event: replySchema(eventProperties),
    "Event.whole": {
      ...replySchema({
        ...eventProperties,
        seq: { type: "integer", description: "A number that grows with each event of a record." },
        cause: { ...objectOrNull, description: "The run that caused the event." },
        record: objectOrNull,
        old: { ...objectOrNull, description: "The previous values of the fields that changed." },
        data: { description: "The data of a declared event." },
        runs: {
          type: "array",
          items: replySchema({ id, workflow: { type: "string" }, status }),
          description: "What the event started.",
        },
      }),
      description: masked,
    },
    Approval: replySchema({
      run_id: { ...id, description: "The waiting run. An answer names it and its `step`." },
      workflow: runProperties.workflow,
      kind: runProperties.kind,
      step: { type: "string", description: "The waiting step." },
      message: { ...textOrNull, description: "The text of the step for approvers." },
      roles: { type: "array", items: { type: "string" }, description: "The roles that can approve." },
      since: at,
      until: { ...atOrNull, description: "When the approval expires." },
      record: {
        ...objectOrNull,
        description: "`entity` and `id` of the run's record; null if you can't read the record.",
      },
    }),
    Run: replySchema({ ...runProperties, error: listedFailure }),
    "Run.whole": {
      ...replySchema(ownRunProperties),
      properties: {
        ...runProperties,
        ...ownRunProperties,
        input: { description: "The input of the run." },
        steps: part("The steps that have started, in order."),
        attempts: part("The attempts of these steps."),
        waits: part("What the run waits or waited for, by step."),
      },
      description: `The user who started the run sees its progress; approvers see their approval; admins see everything. For admins, ${masked.slice(0, 1).toLowerCase()}${masked.slice(1)}`,
    },
  },
  operations: [
    ...workOperations,
    reading("events", {
      path: "/v1/events",
      summary: "List events, newest first (admin)",
      query: { records: "events", filters: { entity: "text", name: "text", record_id: "uuid", request_id: "text" } },
      schema: "Event",
      example: exampleEvent,
    }),
    reading("event", {
      path: "/v1/events/{id}",
      summary: "Read an event, and what it started (admin)",
      query: null,
      schema: "Event.whole",
      example: {
        ...exampleEvent,
        seq: 1024,
        cause: null,
        record: { id: exampleId },
        old: null,
        data: null,
        runs: [{ id: exampleId, workflow: "send_receipt", status: "completed" }],
      },
    }),
    reading("runs", {
      path: "/v1/runs",
      summary: "List the runs of workflows, newest first (admin)",
      query: {
        records: "runs",
        filters: { event_id: "uuid", request_id: "text", status: runStatuses, workflow: "text" },
      },
      schema: "Run",
      example: exampleRun,
    }),
    reading("approvals", {
      path: "/v1/runs/approvals",
      summary: "List the approvals that you can give, the oldest first",
      audience: "caller",
      query: { records: "approvals", filters: {} },
      page: "A page of approvals, the oldest first",
      schema: "Approval",
      example: {
        run_id: exampleId,
        workflow: "decide",
        kind: "workflow",
        step: "approve",
        message: "Pay 12.00 back?",
        roles: ["manager"],
        since: exampleTime,
        until: null,
        record: { entity: "refund", id: exampleId },
      },
      sdk: "approvals.list",
    }),
    reading("run", {
      path: "/v1/runs/{id}",
      summary: "Read the progress of a run (the user who started it, and its approvers) and its steps (admin)",
      audience: "caller",
      query: null,
      schema: "Run.whole",
      example: {
        ...exampleRun,
        input: null,
        output: null,
        record: { entity: "order", id: exampleId },
        waits_for: [],
        steps: [],
        attempts: [],
        waits: [],
      },
    }),
    ...signingSecretOperations,
    steering("cancel_run", {
      path: "/v1/runs/{id}/cancel",
      summary: "Cancel a run; its `compensate` steps undo what it has done (admin)",
      audience: "admin",
      body: { schema: bodySchema({}, []), example: {}, isOptional: true },
    }),
    steering("retry_run", {
      path: "/v1/runs/{id}/retry",
      summary: "Retry a failed run, from the failed step or from a named one (admin)",
      audience: "admin",
      body: {
        schema: bodySchema({ from: { type: "string", maxLength: 200 }, out_of_order: outOfOrder }, []),
        example: { from: "send" },
        isOptional: true,
      },
    }),
    steering("approve_run", {
      path: "/v1/runs/{id}/approve",
      summary: "Approve or refuse a waiting run, with a role that its step names",
      audience: "caller",
      body: {
        schema: bodySchema({ ...answer, approved: { type: "boolean", default: true } }, ["step"]),
        example: { step: "approve", approved: true },
      },
      sdk: "approvals.approve",
    }),
    steering("reject_run", {
      path: "/v1/runs/{id}/reject",
      summary: "Refuse a waiting run, with a role that its step names",
      audience: "caller",
      body: { schema: bodySchema(answer, ["step"]), example: { step: "approve", note: "Too expensive" } },
      sdk: "approvals.reject",
    }),
  ],
};
