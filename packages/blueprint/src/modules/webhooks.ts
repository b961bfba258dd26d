// Inbound webhooks as admins look at them. Out: what a project has of them where it lists `webhooks`.
import type { JsonObject, ModuleDescription, ModuleOperation } from "./description.ts";
import { bodySchema, exampleId, exampleTime, id, replySchema, schemaNamed, textOrNull } from "./schema-parts.ts";

const at: JsonObject = { type: "string", format: "date-time" };
const atOrNull: JsonObject = { type: ["string", "null"], format: "date-time" };
const text: JsonObject = { type: "string" };
const source: JsonObject = { ...text, minLength: 1, maxLength: 100 };

const base = { tag: "project", audience: "admin", query: null, sdk: null } as const;

function reading(
  operation: string,
  path: string,
  summary: string,
  schema: string,
  example: JsonObject,
): ModuleOperation {
  return {
    ...base,
    id: `project.${operation}`,
    method: "GET",
    path,
    summary,
    body: null,
    replies: {
      200: {
        description: "All of them",
        content: { kind: "data", schema: { type: "array", items: schemaNamed(schema) }, example: [example] },
      },
    },
    faults: [400, 401, 403, 429, 503],
  };
}

function acting(
  operation: string,
  told: Pick<ModuleOperation, "path" | "summary" | "body"> & {
    readonly reply: JsonObject;
    readonly example: JsonObject;
  },
): ModuleOperation {
  const { reply, example, ...rest } = told;
  return {
    ...base,
    id: `project.${operation}`,
    method: "POST",
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
        description: "The provider whose signatures are verified; `custom` where the blueprint says how.",
      },
      enabled: {
        type: "boolean",
        description: "Whether it has a secret. Without one it answers like no source at all.",
      },
      secrets: { type: "array", items: replySchema({ id, created_at: at }), description: "Those that are live." },
    }),
    WebhookRequest: replySchema({
      id,
      source: text,
      received_at: at,
      status: { type: "string", enum: ["accepted", "unmapped", "refused"] },
      reason: { ...textOrNull, description: "Why it was refused, or became no event." },
      type: { ...textOrNull, description: "The provider's type." },
      event: { ...textOrNull, description: "What it became." },
      repeats: { type: "integer", description: "How often it came again." },
      replayed_at: atOrNull,
    }),
  },
  operations: [
    reading(
      "webhook_sources",
      "/v1/webhooks/sources",
      "Read the sources of inbound webhooks (admin)",
      "WebhookSource",
      {
        name: "stripe",
        url: "https://api.example.com/hooks/prj_0123456789abcdefghij/stripe",
        verify: "stripe",
        enabled: true,
        secrets: [{ id: exampleId, created_at: exampleTime }],
      },
    ),
    acting("add_webhook_secret", {
      path: "/v1/webhooks/secrets",
      summary: "Give a source a secret beside those it has; five at most are live (admin)",
      body: {
        schema: bodySchema({ source, secret: { ...text, minLength: 8, maxLength: 4_096 } }, ["source", "secret"]),
        example: { source: "stripe", secret: "whsec_c2VjcmV0" },
      },
      ...replyId,
    }),
    acting("remove_webhook_secret", {
      path: "/v1/webhooks/secrets/{id}/remove",
      summary: "Take a secret away from its source (admin)",
      body: nothing,
      ...replyId,
    }),
    reading(
      "webhook_requests",
      "/v1/webhooks/requests",
      "Read the last hundred inbound requests, newest first (admin)",
      "WebhookRequest",
      {
        id: exampleId,
        source: "stripe",
        received_at: exampleTime,
        status: "accepted",
        reason: null,
        type: "payment_intent.succeeded",
        event: "payment.succeeded",
        repeats: 0,
        replayed_at: null,
      },
    ),
    acting("replay_webhook_request", {
      path: "/v1/webhooks/requests/{id}/replay",
      summary: "Emit the event of a kept request again, as the live version maps it (admin)",
      body: nothing,
      reply: replySchema({ event: text }),
      example: { event: "payment.succeeded" },
    }),
  ],
};
