// What all routes that write one record share in the OpenAPI document, including actions where possible. Out:
// components, and references to them.
import type { FaultStatus } from "@plinth/blueprint";
import { type Components, type OpenapiObject, reference, replyHeaders } from "./openapi-shared.ts";

export const idempotencyKey: OpenapiObject = reference("parameters", "idempotencyKey");
export const idempotencyHeader: OpenapiObject = {
  "Idempotency-Replayed": reference("headers", "IdempotencyReplayed"),
};

/** Conditions for a write of an existing record: headers, and the statuses for them. */
export interface WriteCondition {
  readonly parameters: readonly OpenapiObject[];
  readonly stale: readonly FaultStatus[];
}

/** Parameters of a write in addition to its body. */
export const writeParameters: readonly OpenapiObject[] = [reference("parameters", "dryRun"), idempotencyKey];

/** Headers of its reply. */
export const writeHeaders: OpenapiObject = {
  ...idempotencyHeader,
  "Plinth-Dry-Run": reference("headers", "DryRun"),
};

export const writingComponents: Components = {
  parameters: {
    dryRun: {
      name: "dry_run",
      in: "query",
      description: "Checks and answers the write without saving it.",
      schema: { type: "boolean", default: false },
    },
    idempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      description: "Requests with the same key and content take effect only once within 24 hours.",
      schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
    },
  },
  responses: { Gone: { description: "Deleted", headers: { ...replyHeaders, ...writeHeaders } } },
  headers: {
    DryRun: { description: "Nothing was saved, because the request has `dry_run`.", schema: { const: "true" } },
    IdempotencyReplayed: {
      description: "This is the saved reply to an earlier request with the same Idempotency-Key.",
      schema: { const: "true" },
    },
  },
};
