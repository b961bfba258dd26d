// The audit log. Out: what a project has if it lists `audit_logs`.
import type { ModuleDescription } from "./description.ts";
import { exampleId, exampleTime, replySchema, schemaNamed, textOrNull, time } from "./schema-parts.ts";

export const auditLogsDescription: ModuleDescription = {
  module: "audit_logs",
  entity: null,
  events: [],
  schemas: {
    AuditEntry: replySchema({
      id: { type: "string", pattern: "^[0-9]+$", description: "A whole number that grows with time." },
      at: time,
      request_id: { ...textOrNull, description: "The `X-Request-Id` of the request that did it." },
      actor_kind: {
        ...textOrNull,
        description:
          "`user`, `key`, `operator`, `service` for what Plinth does by itself, or `release` for rows that came with a deploy.",
      },
      actor_id: {
        ...textOrNull,
        description: "The id of the user, the key or the release, or the e-mail address of an operator.",
      },
      operation: textOrNull,
      entity: textOrNull,
      record_id: { ...textOrNull, format: "uuid", description: "null if the entry is about no single record." },
      changes: {
        type: ["object", "null"],
        description:
          "The whole record if it was created or deleted; `field: [before, after]` if it changed. Some values are masked.",
      },
    }),
  },
  operations: [
    {
      id: "project.audit_log",
      method: "GET",
      path: "/v1/audit-log",
      summary: "List the audit log: who changed what, newest first (admin)",
      tag: "project",
      audience: "admin",
      query: {
        records: "entries",
        filters: { entity: "text", record_id: "uuid", actor_id: "text", operation: "text", request_id: "text" },
      },
      body: null,
      replies: {
        200: {
          description: "A page of the audit log",
          content: {
            kind: "page",
            schema: schemaNamed("AuditEntry"),
            example: {
              id: "1024",
              at: exampleTime,
              request_id: exampleId,
              actor_kind: "user",
              actor_id: exampleId,
              operation: "update",
              entity: "user",
              record_id: exampleId,
              changes: { name: ["Ana", "Ana Lima"] },
            },
          },
        },
      },
      faults: [400, 401, 403, 429, 503],
      sdk: null,
    },
  ],
};
