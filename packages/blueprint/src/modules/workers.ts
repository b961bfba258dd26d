// Events and runs as people look at them, and what they do about runs. Out: what a project has of them where it lists `workers`.
import type { JsonObject, ModuleDescription, ModuleOperation, OperationBody } from "./description.ts";
import { bodySchema, exampleId, exampleTime, id, replySchema, schemaNamed, textOrNull } from "./schema-parts.ts";
import { signingSecretOperations } from "./signing-secret-operations.ts";
import { workOperations, workSchemas } from "./work-operations.ts";

export const runStatuses: readonly string[] = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "cancelled",
  "needs_attention",
];

const at: JsonObject = { type: "string", format: "date-time" };
const atOrNull: JsonObject = { type: ["string", "null"], format: "date-time" };
const idOrNull: JsonObject = { type: ["string", "null"], format: "uuid" };
const objectOrNull: JsonObject = { type: ["object", "null"] };
const masked = "Values of masked fields are masked.";
const failure: JsonObject = {
  ...objectOrNull,
  description:
    "`code` and `message`, and where another service answered that it failed, its HTTP `status`; null where nothing failed.",
};
/** In lists. The text may quote what is masked, and is shown with one run only. */
const listedFailure: JsonObject = {
  ...objectOrNull,
  properties: {
    code: { type: "string" },
    step: { ...textOrNull, description: "The step that failed; null where none had begun." },
    attempts: { type: ["integer", "null"], description: "How often that step was tried." },
  },
  required: ["code", "step", "attempts"],
  description: "Why it failed, without the text, which `GET /v1/runs/{id}` has; null where nothing failed.",
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
  caused_by: { ...idOrNull, description: "The run that wrote what started this one." },
  depth: { type: "integer", description: "How many runs are behind this one." },
  request_id: textOrNull,
  actor_kind: textOrNull,
  actor_id: textOrNull,
  error: failure,
  created_at: at,
  started_at: atOrNull,
  ended_at: atOrNull,
};
/** What of a run is for who started it, too. */
const ownRunProperties = {
  id,
  workflow: runProperties.workflow,
  kind: runProperties.kind,
  status,
  output: { description: "What it gave, once it is completed." },
  error: failure,
  record: {
    ...objectOrNull,
    properties: { entity: { type: "string" }, id },
    required: ["entity", "id"],
    description: "Whose event started it; null where none did, or where the event is kept no longer.",
  },
  waits_for: {
    type: "array",
    items: {
      type: "object",
      properties: {
        kind: { type: "string", enum: ["approval", "event", "run", "time"] },
        roles: { type: "array", items: { type: "string" }, description: "Of an approval: whose." },
        step: { type: "string", description: "Of an approval: which step an answer names." },
        since: { ...at, description: "Of an approval." },
        event: { type: "string" },
        until: atOrNull,
      },
      required: ["kind", "until"],
    },
    description: "What it is waiting for.",
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
  step: { type: "string", minLength: 1, maxLength: 200, description: "The step of the approval that was read." },
  since: {
    ...at,
    description:
      "The approval's `since`, as it was read: one that a retry asks for anew at the same step is not meant.",
  },
  note,
};

type Told = Pick<ModuleOperation, "path" | "summary" | "query"> & {
  /** Admins, unless given. */
  readonly audience?: ModuleOperation["audience"];
  /** What a page of it is. */
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
  }: Told,
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
        description: isPage ? page : "The whole of it",
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
        description: "Noted; the run goes on",
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
  events: [],
  schemas: {
    ...workSchemas,
    Event: replySchema(eventProperties),
    "Event.whole": {
      ...replySchema({
        ...eventProperties,
        seq: { type: "integer", description: "Grows in the order of a record's events." },
        cause: { ...objectOrNull, description: "The run that wrote what the event tells of." },
        record: objectOrNull,
        old: { ...objectOrNull, description: "The values before of what changed." },
        data: { description: "What a declared event carries." },
        runs: {
          type: "array",
          items: replySchema({ id, workflow: { type: "string" }, status }),
          description: "What the event started.",
        },
      }),
      description: masked,
    },
    Approval: replySchema({
      run_id: { ...id, description: "The run that waits: an answer names it, and its `step`." },
      workflow: runProperties.workflow,
      kind: runProperties.kind,
      step: { type: "string", description: "The step that waits." },
      message: { ...textOrNull, description: "What the step says of it." },
      roles: { type: "array", items: { type: "string" }, description: "Whose approval it takes." },
      since: at,
      until: { ...atOrNull, description: "When it is too late." },
      record: {
        ...objectOrNull,
        description: "`entity` and `id` of the record that the run is about; null where you may not read it.",
      },
    }),
    Run: replySchema({ ...runProperties, error: listedFailure }),
    "Run.whole": {
      ...replySchema(ownRunProperties),
      properties: {
        ...runProperties,
        ...ownRunProperties,
        input: { description: "What it was started with." },
        steps: part("The steps that were begun, in their order."),
        attempts: part("The tries of those steps."),
        waits: part("What it waits or waited for, step by step."),
      },
      description: `Who started it sees how it goes on, who is or was asked to approve it how it stands, admins all of it. To them, ${masked.slice(0, 1).toLowerCase()}${masked.slice(1)}`,
    },
  },
  operations: [
    ...workOperations,
    reading("events", {
      path: "/v1/events",
      summary: "Read what happened, newest first (admin)",
      query: { records: "events", filters: { entity: "text", name: "text", record_id: "uuid", request_id: "text" } },
      schema: "Event",
      example: exampleEvent,
    }),
    reading("event", {
      path: "/v1/events/{id}",
      summary: "Read one event, and what it started (admin)",
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
      summary: "Read the runs of workflows, newest first (admin)",
      query: {
        records: "runs",
        filters: { event_id: "uuid", request_id: "text", status: runStatuses, workflow: "text" },
      },
      schema: "Run",
      example: exampleRun,
    }),
    reading("approvals", {
      path: "/v1/runs/approvals",
      summary: "Read what waits for an approval that you may give, the longest waiting first",
      audience: "caller",
      query: { records: "approvals", filters: {} },
      page: "A page of approvals, the longest waiting first",
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
      summary: "Read how a run goes on (who started it, or was asked to approve it), and its steps (admin)",
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
      summary: "Cancel a run; what it has done is undone as its steps say (admin)",
      audience: "admin",
      body: { schema: bodySchema({}, []), example: {}, isOptional: true },
    }),
    steering("retry_run", {
      path: "/v1/runs/{id}/retry",
      summary: "Go on with a run that failed, from the step that did or from a named one (admin)",
      audience: "admin",
      body: {
        schema: bodySchema({ from: { type: "string", maxLength: 200 } }, []),
        example: { from: "send" },
        isOptional: true,
      },
    }),
    steering("approve_run", {
      path: "/v1/runs/{id}/approve",
      summary: "Approve or refuse what a run waits for, as a holder of a role that its step names",
      audience: "caller",
      body: {
        schema: bodySchema({ ...answer, approved: { type: "boolean", default: true } }, ["step"]),
        example: { step: "approve", approved: true },
      },
      sdk: "approvals.approve",
    }),
    steering("reject_run", {
      path: "/v1/runs/{id}/reject",
      summary: "Refuse what a run waits for, as a holder of a role that its step names",
      audience: "caller",
      body: { schema: bodySchema(answer, ["step"]), example: { step: "approve", note: "Too dear" } },
      sdk: "approvals.reject",
    }),
  ],
};
