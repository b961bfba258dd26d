// Parses a cell's answers about webhooks. In: its JSON. Out: the types of `api.ts`. Any other JSON is an error.
import { z } from "zod";
import type { WorkPage } from "../work/api.ts";
import type {
  NewWebhookEndpoint,
  PulledDelivery,
  WebhookDelivery,
  WebhookEndpoint,
  WholeWebhookDelivery,
} from "./api.ts";

const text = z.string().nullable();

const endpointRow = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string(),
  enabled: z.boolean(),
  payload: z.enum(["full", "thin"]),
  version: z.number(),
  role: z.string(),
  user_id: text,
  organization_id: text,
  signing: z.enum(["hmac", "ed25519"]),
  public_key: text,
  disabled_reason: text,
  failures: z.number(),
  failing_since: text,
  paused_until: text,
  /** Absent in answers of older cells. */
  behind_since: text.default(null),
  listens_until: text,
  last_success_at: text,
  last_failure_at: text,
  created_at: z.string(),
});

function endpointOf(row: z.infer<typeof endpointRow>): WebhookEndpoint {
  const { id, url, events, description, enabled, payload, version, role, signing, failures } = row;
  return {
    ...{ id, url, events, description, enabled, payload, version, role, signing, failures },
    userId: row.user_id,
    organizationId: row.organization_id,
    publicKey: row.public_key,
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    pausedUntil: row.paused_until,
    behindSince: row.behind_since,
    listensUntil: row.listens_until,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    createdAt: row.created_at,
  };
}

const deliveryRow = z.object({
  id: z.string(),
  endpoint_id: z.string(),
  event_id: text,
  event: z.string(),
  status: z.enum(["pending", "delivered", "failed", "revoked"]),
  error: text,
  response_status: z.number().nullable(),
  attempts: z.number(),
  due_at: z.string(),
  created_at: z.string(),
  ended_at: text,
});

function deliveryOf(row: z.infer<typeof deliveryRow>): WebhookDelivery {
  const { id, event, status, error, attempts } = row;
  return {
    ...{ id, event, status, error, attempts },
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    responseStatus: row.response_status,
    dueAt: row.due_at,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

const tryRow = z
  .object({
    attempt: z.number(),
    started_at: z.string(),
    ended_at: text,
    status: z.number().nullable(),
    error: text,
    response_body: text,
  })
  .transform((row) => ({
    attempt: row.attempt,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    status: row.status,
    error: row.error,
    responseBody: row.response_body,
  }));

export function pageSchema<Row, Item>(row: z.ZodType<Row>, of: (row: Row) => Item): z.ZodType<WorkPage<Item>> {
  return z
    .object({ data: z.array(row), page: z.object({ next_cursor: text }) })
    .transform(({ data, page }) => ({ data: data.map(of), nextCursor: page.next_cursor }));
}

const data = <Shape extends z.ZodType>(shape: Shape) => z.object({ data: shape });

export const endpointPageSchema: z.ZodType<WorkPage<WebhookEndpoint>> = pageSchema(endpointRow, endpointOf);
export const deliveryPageSchema: z.ZodType<WorkPage<WebhookDelivery>> = pageSchema(deliveryRow, deliveryOf);
export const endpointSchema: z.ZodType<WebhookEndpoint> = data(endpointRow).transform((one) => endpointOf(one.data));
export const newEndpointSchema: z.ZodType<NewWebhookEndpoint> = data(endpointRow.extend({ secret: text })).transform(
  (one) => ({ ...endpointOf(one.data), secret: one.data.secret }),
);
export const deliverySchema: z.ZodType<WholeWebhookDelivery> = data(
  deliveryRow.extend({ body: z.unknown(), tries: z.array(tryRow) }),
).transform((one) => ({ ...deliveryOf(one.data), body: one.data.body, tries: one.data.tries }));
export const queuedSchema: z.ZodType<{ readonly id: string }> = data(z.object({ id: z.string() })).transform(
  (one) => one.data,
);
export const pulledSchema: z.ZodType<readonly PulledDelivery[]> = data(
  z.object({
    deliveries: z.array(
      z.object({
        id: z.string(),
        event: z.string(),
        attempt: z.number(),
        headers: z.record(z.string(), z.string()),
        body: z.string(),
      }),
    ),
  }),
).transform((one) => one.data.deliveries);
export const replayedSchema: z.ZodType<{ readonly deliveries: number }> = data(
  z.object({ deliveries: z.number() }),
).transform((one) => one.data);
