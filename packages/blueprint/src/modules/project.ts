// Descriptions that every project has: its documents, its keys, and the caller's rights. Out: the routes.
import type { JsonObject, ModuleDescription, ModuleOperation } from "./description.ts";
import { exampleId, replySchema, schemaNamed } from "./schema-parts.ts";

/** The resource's name or plural; an operation, `list` or `transition:<edge>`. */
const questionProperties = {
  resource: { type: "string", maxLength: 63 },
  op: { type: "string", maxLength: 80 },
  id: {
    type: "string",
    maxLength: 64,
    description: "The id of a record. Without it, the question is whether the caller can do this to any record.",
  },
};
const exampleQuestion = { resource: "user", op: "read", id: exampleId };

function document(name: string, path: string, summary: string, mediaType: string, schema: JsonObject): ModuleOperation {
  return {
    id: `project.${name}`,
    method: "GET",
    path,
    summary,
    tag: "project",
    audience: "caller",
    query: null,
    body: null,
    replies: { 200: { description: summary, content: { kind: "plain", mediaType, schema } } },
    faults: [401, 429, 503],
    sdk: null,
  };
}

/** It has an ETag, and changes only with a release. */
function ofRelease(operation: ModuleOperation): ModuleOperation {
  const notModified = { description: "The caller's copy is still current", content: null };
  return { ...operation, replies: { ...operation.replies, 304: notModified } };
}

export const projectDescription: ModuleDescription = {
  module: null,
  entity: null,
  events: [],
  schemas: {},
  operations: [
    ofRelease(document("openapi", "/v1/openapi.json", "This document", "application/json", { type: "object" })),
    ofRelease(
      document("sdk_types", "/v1/sdk.d.ts", "The SDK's TypeScript declarations", "text/plain", { type: "string" }),
    ),
    document(
      "jwks",
      "/.well-known/jwks.json",
      "The public keys that verify access tokens",
      "application/jwk-set+json",
      {
        type: "object",
      },
    ),
  ],
};

const method = { type: "string", enum: ["GET", "POST", "PUT", "PATCH", "DELETE"] };

export const batchDescription: ModuleDescription = {
  module: null,
  entity: null,
  events: [],
  schemas: {
    Operation: {
      type: "object",
      properties: {
        method,
        path: {
          type: "string",
          maxLength: 2048,
          description:
            "The path of one record, with its query string. `{order.id}` inserts a value from the result of an earlier operation.",
        },
        body: {
          description:
            'The body of the route. `{"$ref": "order.id"}` inserts a value from the result of an earlier operation. `{"$value": ...}` inserts its content unchanged.',
        },
        as: {
          type: "string",
          pattern: "^[a-z_][a-z0-9_]{0,62}$",
          description: "The name under which later operations can use the result.",
        },
        if_match: { type: "string", maxLength: 2000, description: "The value of the header `If-Match`." },
      },
      required: ["method", "path"],
      additionalProperties: false,
    },
    Batch: {
      type: "object",
      properties: {
        operations: { type: "array", items: schemaNamed("Operation"), minItems: 1, maxItems: 100 },
        dry_run: { type: "boolean", description: "Runs and answers all operations, but saves nothing." },
      },
      required: ["operations"],
      additionalProperties: false,
    },
    Performed: replySchema({ status: { type: "integer" }, data: { description: "The answer of the route." } }, [
      "status",
    ]),
  },
  operations: [
    {
      id: "project.batch",
      method: "POST",
      path: "/v1/batch",
      summary: "Run several operations on records in one transaction",
      tag: "project",
      audience: "caller",
      query: null,
      isOnce: true,
      // The thread that serves all requests reads it.
      bodyBytesMax: 262_144,
      body: {
        schema: schemaNamed("Batch"),
        example: { operations: [{ method: "GET", path: `/api/orders/${exampleId}` }] },
      },
      replies: {
        200: {
          description: "The results, in order",
          content: {
            kind: "data",
            schema: { type: "array", items: schemaNamed("Performed") },
            example: [{ status: 200, data: { id: exampleId } }],
          },
        },
      },
      faults: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
      sdk: null,
    },
  ],
};

export const canDescription: ModuleDescription = {
  module: null,
  entity: null,
  events: [],
  schemas: {
    Question: {
      type: "object",
      properties: questionProperties,
      required: ["resource", "op"],
      additionalProperties: false,
    },
    Answer: replySchema({ ...questionProperties, allowed: { type: "boolean" } }, ["resource", "op", "allowed"]),
  },
  operations: [
    {
      id: "project.can",
      method: "POST",
      path: "/v1/can",
      summary: "Check what the caller can do",
      tag: "project",
      audience: "caller",
      query: null,
      body: {
        schema: { type: "array", items: schemaNamed("Question"), minItems: 1, maxItems: 100 },
        example: [exampleQuestion],
      },
      replies: {
        200: {
          description: "The answers, in order",
          content: {
            kind: "data",
            schema: { type: "array", items: schemaNamed("Answer") },
            example: [{ ...exampleQuestion, allowed: true }],
          },
        },
      },
      faults: [400, 401, 413, 415, 422, 429, 503],
      sdk: "can",
    },
  ],
};
