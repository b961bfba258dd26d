// Outbound webhooks: endpoints and deliveries. Out: what a project has if it lists `webhooks`.
import { plainField } from "../model/plain-field.ts";
import type { JsonObject, ModuleDescription, ModuleEvent, ModuleOperation, OperationBody } from "./description.ts";
import { bodySchema, exampleId, exampleTime, id, replySchema, schemaNamed, textOrNull } from "./schema-parts.ts";

const at: JsonObject = { type: "string", format: "date-time" };
const atOrNull: JsonObject = { type: ["string", "null"], format: "date-time" };
const idOrNull: JsonObject = { type: ["string", "null"], format: "uuid" };
const count: JsonObject = { type: "integer" };
const countOrNull: JsonObject = { type: ["integer", "null"] };
const deliveryStatuses = ["pending", "delivered", "failed", "revoked"];

/** The fields of an endpoint that an admin sets. */
const changeable = {
  url: { type: "string", maxLength: 2_000, description: "An https address. On this machine, http is allowed too." },
  events: {
    type: "array",
    minItems: 1,
    maxItems: 100,
    items: { type: "string", maxLength: 120 },
    description: "Names of events. `order.*` means all events of a noun, `*` all events.",
  },
  description: { type: "string", maxLength: 500 },
  enabled: { type: "boolean" },
  payload: {
    type: "string",
    enum: ["full", "thin"],
    description: "`thin`: only the id of the record, without its values.",
  },
  version: {
    type: "integer",
    minimum: 1,
    maximum: 1_000,
    description:
      "The payload version, which must be in the blueprint. The default for a new endpoint is the current one.",
  },
} as const;
const settled = {
  role: { type: "string", maxLength: 100, description: "The endpoint receives what a holder of this role can read." },
  user_id: { ...id, description: "The owner of the endpoint, which receives what this user can read." },
  organization_id: {
    ...id,
    description: "The organization of the endpoint, which receives the events of this organization.",
  },
  signing: { type: "string", enum: ["hmac", "ed25519"] },
} as const;
const listener: JsonObject = {
  type: "boolean",
  default: false,
  description: "The address of this endpoint is not called: a listener pulls its deliveries and forwards them.",
};

const endpointProperties = {
  id,
  ...changeable,
  role: settled.role,
  user_id: idOrNull,
  organization_id: idOrNull,
  signing: settled.signing,
  public_key: { ...textOrNull, description: "`whpk_` and the public key, for an endpoint that signs with Ed25519." },
  disabled_at: atOrNull,
  disabled_reason: textOrNull,
  failures: { ...count, description: "The number of failures since the last success." },
  failing_since: atOrNull,
  paused_until: { ...atOrNull, description: "No deliveries are sent until this time, because too many have failed." },
  behind_since: {
    ...atOrNull,
    description:
      "The time of the first event that the endpoint has not got, because the project has as many pending deliveries as its operator allows. It gets its events, in their order, when there is room.",
  },
  listens_until: {
    ...atOrNull,
    description: "Until when a listener receives events. Each pull extends this time. null if the address is called.",
  },
  last_success_at: atOrNull,
  last_failure_at: atOrNull,
  created_at: at,
  updated_at: at,
};
const exampleEndpoint = {
  id: exampleId,
  url: "https://shop.example/hooks",
  events: ["order.*"],
  description: "",
  enabled: true,
  payload: "full",
  version: 1,
  role: "admin",
  user_id: null,
  organization_id: null,
  signing: "hmac",
  public_key: null,
  disabled_at: null,
  disabled_reason: null,
  failures: 0,
  failing_since: null,
  paused_until: null,
  behind_since: null,
  listens_until: null,
  last_success_at: exampleTime,
  last_failure_at: null,
  created_at: exampleTime,
  updated_at: exampleTime,
};

const deliveryProperties = {
  id: {
    ...id,
    description: "The id of the message, with the prefix `msg_`. All its attempts have it as `webhook-id`.",
  },
  endpoint_id: id,
  event_id: { ...idOrNull, description: "null for a test event." },
  event: { type: "string" },
  status: { type: "string", enum: deliveryStatuses },
  error: textOrNull,
  response_status: countOrNull,
  attempts: count,
  due_at: { ...at, description: "When a pending delivery is tried next." },
  request_id: textOrNull,
  created_at: at,
  ended_at: atOrNull,
};
const exampleDelivery = {
  id: exampleId,
  endpoint_id: exampleId,
  event_id: exampleId,
  event: "order.created",
  status: "delivered",
  error: null,
  response_status: 200,
  attempts: 1,
  due_at: exampleTime,
  request_id: exampleId,
  created_at: exampleTime,
  ended_at: exampleTime,
};

const secretOnce: JsonObject = {
  ...textOrNull,
  description:
    "The secret with which receivers verify signatures: `whsec_` and base64. It is shown only once. null if the endpoint has a public key.",
};
const outcomeSchema: JsonObject = bodySchema(
  {
    id,
    attempt: { ...count, description: "The result, as the listener reported it." },
    status: { type: "integer", minimum: 100, maximum: 599, description: "The status of the receiver's answer." },
    body: { type: "string", maxLength: 10_000, description: "The first part of the receiver's answer." },
    error: { type: "string", enum: ["unreachable", "no_answer"], description: "The error, if there is no status." },
  },
  ["id", "attempt"],
);
const pulledSchema: JsonObject = replySchema({
  id,
  event: { type: "string" },
  attempt: count,
  headers: { type: "object", description: "The headers of the request to the receiver, including the signature." },
  body: { type: "string", description: "The body. Forward it unchanged, byte for byte." },
});
const examplePulled = {
  id: exampleId,
  event: "order.created",
  attempt: 1,
  headers: { "content-type": "application/json", "webhook-id": `msg_${exampleId}` },
  body: "{}",
};
const optionalNothing: OperationBody = { schema: bodySchema({}, []), example: {}, isOptional: true };
const reading = [400, 401, 403, 404, 429, 503] as const;
const listing = [400, 401, 403, 429, 503] as const;
const writing = [400, 401, 403, 404, 409, 413, 415, 422, 429, 503] as const;

type OperationOptions = Pick<ModuleOperation, "method" | "path" | "summary"> & {
  readonly query?: ModuleOperation["query"];
  readonly body?: OperationBody;
  readonly status?: number;
  readonly description: string;
  readonly schema?: JsonObject;
  readonly example?: JsonObject;
};

function operation(name: string, options: OperationOptions): ModuleOperation {
  const { method, path, summary, query = null, body = null, status = 200, description, schema, example = {} } = options;
  const isPage = query !== null;
  const content = schema === undefined ? null : ({ kind: isPage ? "page" : "data", schema, example } as const);
  return {
    id: `webhooks.${name}`,
    method,
    path,
    summary: `${summary} (admin)`,
    tag: "project",
    audience: "admin",
    query,
    body,
    replies: { [status]: { description, content } },
    faults: isPage ? listing : method === "GET" ? reading : writing,
    sdk: null,
  };
}

const endpoint = { schema: schemaNamed("WebhookEndpoint"), example: exampleEndpoint };
const withSecret = {
  schema: schemaNamed("WebhookEndpoint.new"),
  example: { ...exampleEndpoint, secret: "whsec_c2VjcmV0" },
};
const queued = { status: 202, schema: replySchema({ id }), example: { id: exampleId } };
const one = "/v1/webhook-endpoints/{id}";

/** Control's audit log uses another name when people disable endpoints. */
export const webhookEvents: readonly ModuleEvent[] = [
  {
    name: "webhook.endpoint_disabled",
    entity: null,
    data: [
      plainField("endpoint_id", { kind: "uuid" }),
      plainField("reason", { kind: "enum", values: ["gone", "failing"] }),
    ],
    help: "An endpoint was disabled: it answered 410 (`gone`), or failed for too long (`failing`).",
  },
  {
    name: "delivery.failed",
    entity: null,
    data: [
      plainField("delivery_id", { kind: "uuid" }),
      plainField("endpoint_id", { kind: "uuid" }),
      plainField("event", { kind: "string" }),
      plainField("code", { kind: "string" }),
    ],
    help: "An event could not be delivered to an endpoint, after all attempts. A delivery of this event emits none.",
    yields: true,
  },
];

export const webhookEndpointsDescription: ModuleDescription = {
  module: "webhooks",
  entity: null,
  events: webhookEvents,
  schemas: {
    WebhookEndpoint: replySchema(endpointProperties),
    "WebhookEndpoint.new": replySchema({ ...endpointProperties, secret: secretOnce }),
    WebhookDelivery: replySchema(deliveryProperties),
    "WebhookDelivery.whole": {
      ...replySchema({
        ...deliveryProperties,
        body: { description: "The payload. Masked fields have masked values." },
        tries: {
          type: "array",
          items: replySchema({
            attempt: count,
            started_at: at,
            ended_at: { ...atOrNull, description: "null if the connection was lost: the delivery may have arrived." },
            status: countOrNull,
            error: textOrNull,
            request_headers: { type: "object" },
            response_headers: { type: ["object", "null"] },
            response_body: { ...textOrNull, description: "The first part of the answer." },
          }),
        },
      }),
    },
  },
  operations: [
    operation("list_endpoints", {
      method: "GET",
      path: "/v1/webhook-endpoints",
      summary: "List the endpoints that receive events, newest first",
      query: {
        records: "endpoints",
        filters: { url: "text", state: ["enabled", "failing", "disabled"], user_id: "uuid", organization_id: "uuid" },
      },
      description: "A page of endpoints",
      ...endpoint,
    }),
    operation("create_endpoint", {
      method: "POST",
      path: "/v1/webhook-endpoints",
      summary: "Create an endpoint that receives events",
      body: {
        schema: bodySchema({ ...changeable, ...settled, listener }, ["url", "events"]),
        example: { url: "https://shop.example/hooks", events: ["order.*"] },
      },
      status: 201,
      description: "The endpoint, with its secret",
      ...withSecret,
    }),
    operation("read_endpoint", {
      method: "GET",
      path: one,
      summary: "Read an endpoint with its state",
      description: "The endpoint",
      ...endpoint,
    }),
    operation("update_endpoint", {
      method: "PATCH",
      path: one,
      summary: "Change an endpoint",
      body: { schema: bodySchema({ ...changeable }, []), example: { enabled: true } },
      description: "The endpoint",
      ...endpoint,
    }),
    operation("delete_endpoint", {
      method: "DELETE",
      path: one,
      summary: "Delete an endpoint and its deliveries",
      status: 204,
      description: "Deleted",
    }),
    operation("rotate_secret", {
      method: "POST",
      path: `${one}/rotate-secret`,
      summary: "Create a new signing secret for an endpoint; the previous one is still used for a while",
      body: {
        schema: bodySchema({ overlap_hours: { type: "integer", minimum: 0, maximum: 168, default: 24 } }, []),
        example: { overlap_hours: 24 },
        isOptional: true,
      },
      description: "The endpoint, with its new secret",
      ...withSecret,
    }),
    operation("test_endpoint", {
      method: "POST",
      path: `${one}/test`,
      summary: "Send a test event to an endpoint",
      body: optionalNothing,
      description: "The delivery",
      ...queued,
    }),
    operation("replay_endpoint", {
      method: "POST",
      path: `${one}/replay`,
      summary: "Resend all deliveries that have failed since a time",
      body: { schema: bodySchema({ since: at }, ["since"]), example: { since: exampleTime } },
      status: 202,
      description: "The number of deliveries",
      schema: replySchema({ deliveries: count }),
      example: { deliveries: 12 },
    }),
    operation("pull_deliveries", {
      method: "POST",
      path: `${one}/pull`,
      summary: "Pull due deliveries as a listener, and report the results of the previous ones",
      body: {
        schema: bodySchema({ outcomes: { type: "array", maxItems: 100, items: outcomeSchema } }, []),
        example: { outcomes: [{ id: exampleId, attempt: 1, status: 204 }] },
        isOptional: true,
      },
      description: "Deliveries to forward. A delivery without a reported result is returned again after 30 seconds",
      schema: replySchema({ deliveries: { type: "array", items: pulledSchema } }),
      example: { deliveries: [examplePulled] },
    }),
    operation("list_deliveries", {
      method: "GET",
      path: "/v1/webhook-deliveries",
      summary: "List deliveries, newest first",
      query: {
        records: "deliveries",
        filters: { endpoint_id: "uuid", event_id: "uuid", request_id: "text", status: deliveryStatuses },
      },
      description: "A page of deliveries",
      schema: schemaNamed("WebhookDelivery"),
      example: exampleDelivery,
    }),
    operation("read_delivery", {
      method: "GET",
      path: "/v1/webhook-deliveries/{id}",
      summary: "Read a delivery and its attempts",
      description: "The delivery",
      schema: schemaNamed("WebhookDelivery.whole"),
      example: { ...exampleDelivery, body: { id: exampleId, name: "order.created" }, tries: [] },
    }),
    operation("replay_delivery", {
      method: "POST",
      path: "/v1/webhook-deliveries/{id}/replay",
      summary: "Resend a delivery under the same id",
      body: optionalNothing,
      description: "The delivery",
      ...queued,
    }),
  ],
};
