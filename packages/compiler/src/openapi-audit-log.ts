// The audit log in the OpenAPI document. In: the model. Out: the path of /v1/audit-log, and its component, where the module is
// listed. This route is the runtime's own: this text describes it and adds nothing to it.
import type { Model } from "@plinth/blueprint";
import { exampleId, exampleTime } from "./openapi-example.ts";
import { type Components, errors, type OpenapiObject, pageOf, reference, reply } from "./openapi-shared.ts";
import { patterns } from "./patterns.ts";

export function auditLogPaths(model: Model): OpenapiObject {
  return hasAuditLog(model) ? { "/v1/audit-log": auditLogPath } : {};
}

export function auditLogComponents(model: Model): Components {
  return hasAuditLog(model) ? { schemas: { AuditEntry: entry } } : {};
}

function hasAuditLog({ modules }: Model): boolean {
  return modules.includes("audit_logs");
}

const text: OpenapiObject = { type: ["string", "null"] };

const entry: OpenapiObject = {
  type: "object",
  properties: {
    id: { type: "string", pattern: "^[0-9]+$", description: "A whole number that grows with time." },
    at: { type: "string", format: "date-time", pattern: patterns.datetime },
    request_id: { ...text, description: "The `X-Request-Id` of the request that did it." },
    actor_kind: {
      ...text,
      description:
        "`user`, `key`, `operator`, `service` for what Plinth does by itself, or `release` for rows that came with a deploy.",
    },
    actor_id: { ...text, description: "The id of the user, the key or the release; an operator's e-mail address." },
    operation: text,
    entity: text,
    record_id: { ...text, format: "uuid", description: "null where it is about no single record." },
    changes: {
      type: ["object", "null"],
      description:
        "The record where it is new or gone; `field: [before, after]` where it changed. Some values are masked.",
    },
  },
  required: ["id", "at", "request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes"],
};

const exampleEntry = {
  id: "1024",
  at: exampleTime,
  request_id: exampleId,
  actor_kind: "user",
  actor_id: exampleId,
  operation: "update",
  entity: "user",
  record_id: exampleId,
  changes: { name: ["Ana", "Ana Lima"] },
};

const auditLogPath: OpenapiObject = {
  get: {
    operationId: "project.audit_log",
    summary: "Read who changed what, newest first (admin)",
    tags: ["project"],
    parameters: [
      {
        name: "limit",
        in: "query",
        description: "How many entries a page holds at most.",
        schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      },
      reference("parameters", "cursor"),
      filter("entity", { type: "string" }),
      filter("record_id", reference("schemas", "Id")),
      filter("actor_id", { type: "string" }),
      filter("operation", { type: "string" }),
      filter("request_id", { type: "string" }),
    ],
    responses: {
      200: reply("A page of the audit log", pageOf(reference("schemas", "AuditEntry")), {
        data: [exampleEntry],
        page: { next_cursor: null, has_more: false },
      }),
      ...errors(400, 401, 403, 429, 503),
    },
  },
};

function filter(name: string, schema: OpenapiObject): OpenapiObject {
  return { name, in: "query", description: `Entries whose \`${name}\` is exactly this.`, schema };
}
