// Inbound webhooks for admins. Out: what a project has if it lists `webhooks`.
import type { JsonValue } from "../model/json-value.ts";
import type { JsonObject, ModuleDescription, ModuleOperation } from "./description.ts";
import { bodySchema, exampleId, exampleTime, id, replySchema, schemaNamed, textOrNull } from "./schema-parts.ts";

const at: JsonObject = { type: "string", format: "date-time" };
const atOrNull: JsonObject = { type: ["string", "null"], format: "date-time" };
const text: JsonObject = { type: "string" };
const overlap: JsonObject = {
  type: "integer",
  minimum: 0,
  maximum: 168,
  description: "How many hours the source's other secrets remain valid. Without it, they remain valid without a limit.",
};
const source: JsonObject = { ...text, minLength: 1, maxLength: 100 };

const statuses = ["accepted", "unmapped", "refused"];
const requestProperties = {
  id,
  source: text,
  received_at: at,
  status: { type: "string", enum: statuses },
  reason: { ...textOrNull, description: "Why the request was refused, or why it became no event." },
  type: { ...textOrNull, description: "The event type of the provider." },
  event: { ...textOrNull, description: "The event that it became." },
  repeats: { type: "integer", description: "How often the same request came again." },
  replayed_at: atOrNull,
};
const exampleRequest = {
  id: exampleId,
  source: "stripe",
  received_at: exampleTime,
  status: "accepted",
  reason: null,
  type: "payment_intent.succeeded",
  event: "payment.succeeded",
  repeats: 0,
  replayed_at: null,
};

const base = { tag: "project", audience: "admin", sdk: null } as const;

function reading(
  operation: string,
  options: Pick<ModuleOperation, "path" | "summary"> & {
    readonly kind: "data" | "page";
    readonly query?: ModuleOperation["query"];
    readonly description: string;
    readonly schema: JsonObject;
    readonly example: JsonValue;
  },
): ModuleOperation {
  const { path, summary, kind, query = null, description, schema, example } = options;
  return {
    ...base,
    id: `project.${operation}`,
    method: "GET",
    path,
    summary,
    query,
    body: null,
    replies: { 200: { description, content: { kind, schema, example } } },
    faults: path.includes("{") ? [400, 401, 403, 404, 429, 503] : [400, 401, 403, 429, 503],
  };
}

function acting(
  operation: string,
  options: Pick<ModuleOperation, "path" | "summary" | "body"> & {
    readonly reply: JsonObject;
    readonly example: JsonObject;
  },
): ModuleOperation {
  const { reply, example, ...rest } = options;
  return {
    ...base,
    id: `project.${operation}`,
    method: "POST",
    query: null,
    ...rest,
    replies: { 202: { description: "Noted", content: { kind: "data", schema: reply, example } } },
    faults: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503],
  };
}

const nothing = { schema: bodySchema({}, []), example: {}, isOptional: true } as const;
const replyId = { reply: replySchema({ id }), example: { id: exampleId } };

export const webhooksDescription: ModuleDescription = {
  module: "webhooks",
  entity: null,
  events: [],
  schemas: {
    WebhookSource: replySchema({
      name: text,
      url: { ...text, description: "Where the provider sends its requests." },
      verify: {
        ...text,
        description: "The provider whose signatures are verified; `custom` if the blueprint describes them.",
      },
      enabled: {
        type: "boolean",
        description: "Whether the source has a secret. Without one, its address answers 404.",
      },
      events: {
        type: "object",
        additionalProperties: text,
        description: "The provider's event type > the event that such a request becomes.",
      },
      secrets: {
        type: "array",
        items: replySchema({
          id,
          created_at: at,
          expires_at: {
            ...atOrNull,
            description: "When the secret expires. null: it remains valid until it is removed.",
          },
        }),
        description: "The valid secrets.",
      },
      last_received_at: { ...atOrNull, description: "The time of the last verified request." },
      last_refused_at: atOrNull,
      last_refusal: { ...textOrNull, description: "Why the last refused request was refused." },
    }),
    WebhookRequest: replySchema(requestProperties),
    "WebhookRequest.whole": replySchema({
      ...requestProperties,
      headers: {
        type: ["object", "null"],
        description: "The headers, without signatures and credentials; null for a refused request.",
      },
      body: { ...textOrNull, description: "The body as JSON text, even if it was a form; null if it was neither." },
      body_base64: { ...textOrNull, description: "The body if it was neither JSON nor a form." },
    }),
  },
  operations: [
    reading("webhook_sources", {
      path: "/v1/webhooks/sources",
      summary: "List the sources of inbound webhooks (admin)",
      kind: "data",
      description: "All sources",
      schema: { type: "array", items: schemaNamed("WebhookSource") },
      example: [
        {
          name: "stripe",
          url: "https://api.example.com/hooks/prj_0123456789abcdefghij/stripe",
          verify: "stripe",
          enabled: true,
          events: { "payment_intent.succeeded": "payment.succeeded" },
          secrets: [{ id: exampleId, created_at: exampleTime, expires_at: null }],
          last_received_at: exampleTime,
          last_refused_at: null,
          last_refusal: null,
        },
      ],
    }),
    acting("add_webhook_secret", {
      path: "/v1/webhooks/secrets",
      summary: "Add a secret to a source; at most five can be valid (admin)",
      body: {
        schema: bodySchema({ source, secret: { ...text, minLength: 8, maxLength: 4_096 }, overlap_hours: overlap }, [
          "source",
          "secret",
        ]),
        example: { source: "stripe", secret: "whsec_c2VjcmV0" },
      },
      ...replyId,
    }),
    acting("remove_webhook_secret", {
      path: "/v1/webhooks/secrets/{id}/remove",
      summary: "Remove a secret from a source (admin)",
      body: nothing,
      ...replyId,
    }),
    reading("webhook_requests", {
      path: "/v1/webhooks/requests",
      summary: "List inbound requests, newest first (admin)",
      kind: "page",
      query: { records: "requests", filters: { source: "text", status: statuses } },
      description: "A page of requests",
      schema: schemaNamed("WebhookRequest"),
      example: exampleRequest,
    }),
    reading("webhook_request", {
      path: "/v1/webhooks/requests/{id}",
      summary: "Read an inbound request and what the provider sent (admin)",
      kind: "data",
      description: "The request",
      schema: schemaNamed("WebhookRequest.whole"),
      example: {
        ...exampleRequest,
        headers: { "content-type": "application/json" },
        body: '{"type":"payment_intent.succeeded"}',
        body_base64: null,
      },
    }),
    acting("replay_webhook_request", {
      path: "/v1/webhooks/requests/{id}/replay",
      summary: "Emit the event of a stored request again, as the live version maps it (admin)",
      body: nothing,
      reply: replySchema({ event: text }),
      example: { event: "payment.succeeded" },
    }),
    acting("replay_webhook_requests", {
      path: "/v1/webhooks/requests/replay",
      summary:
        "Emit events for requests of a source that an older version did not map, but the live version does (admin)",
      body: {
        schema: bodySchema({ source, since: { ...at, description: "Only requests since this time." } }, ["source"]),
        example: { source: "stripe", since: exampleTime },
      },
      reply: replySchema({
        requests: { type: "integer", description: "How many requests became an event, at most 500." },
        has_more: { type: "boolean", description: "Whether there may be more. If so, call again." },
      }),
      example: { requests: 12, has_more: false },
    }),
  ],
};
