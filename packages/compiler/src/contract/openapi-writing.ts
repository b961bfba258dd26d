// What all routes that write one record take and answer in the OpenAPI document, actions too where they can. Out: components, and
// references to them.
import type { FaultStatus } from "@plinth/blueprint";
import { type Components, type OpenapiObject, reference, replyHeaders } from "./openapi-shared.ts";

export const idempotencyKey: OpenapiObject = reference("parameters", "idempotencyKey");
export const idempotencyHeader: OpenapiObject = {
  "Idempotency-Replayed": reference("headers", "IdempotencyReplayed"),
};

/** What a write of a record that stands can be held to: headers, and the statuses that tell of them. */
export interface WriteCondition {
  readonly parameters: readonly OpenapiObject[];
  readonly stale: readonly FaultStatus[];
}

/** What a write of a record takes beside its body. */
export const writeParameters: readonly OpenapiObject[] = [reference("parameters", "dryRun"), idempotencyKey];

/** What its reply may carry. */
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
