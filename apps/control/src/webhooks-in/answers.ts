// Parses a cell's answers about inbound webhooks. In: its JSON. Out: the types of `api.ts`. Any other JSON is an error.
import { z } from "zod";
import { pageSchema } from "../webhooks/answers.ts";
import type { WorkPage } from "../work/api.ts";
import type { InboundRequest, InboundSource, WholeInboundRequest } from "./api.ts";

const text = z.string().nullable();

const sourceRow = z
  .object({
    name: z.string(),
    url: z.string(),
    verify: z.string(),
    events: z.record(z.string(), z.string()),
    enabled: z.boolean(),
    secrets: z.array(z.object({ id: z.string(), created_at: z.string(), expires_at: text })),
    last_received_at: text,
    last_refused_at: text,
    last_refusal: text,
  })
  .transform(({ name, url, verify, events, enabled, ...row }) => ({
    ...{ name, url, verify, events, enabled },
    secrets: row.secrets.map((one) => ({ id: one.id, createdAt: one.created_at, expiresAt: one.expires_at })),
    lastReceivedAt: row.last_received_at,
    lastRefusedAt: row.last_refused_at,
    lastRefusal: row.last_refusal,
  }));

const requestRow = z.object({
  id: z.string(),
  source: z.string(),
  received_at: z.string(),
  status: z.enum(["accepted", "unmapped", "refused"]),
  reason: text,
  type: text,
  event: text,
  repeats: z.number(),
  replayed_at: text,
});

function requestOf(row: z.infer<typeof requestRow>): InboundRequest {
  const { id, source, status, reason, type, event, repeats } = row;
  return {
    ...{ id, source, status, reason, type, event, repeats },
    receivedAt: row.received_at,
    replayedAt: row.replayed_at,
  };
}

const data = <Shape extends z.ZodType>(shape: Shape) => z.object({ data: shape });

export const sourcesSchema: z.ZodType<readonly InboundSource[]> = data(z.array(sourceRow)).transform((one) => one.data);
export const requestPageSchema: z.ZodType<WorkPage<InboundRequest>> = pageSchema(requestRow, requestOf);
export const requestSchema: z.ZodType<WholeInboundRequest> = data(
  requestRow.extend({ headers: z.record(z.string(), z.unknown()).nullable(), body: text, body_base64: text }),
).transform(({ data: row }) => ({
  ...requestOf(row),
  headers: row.headers,
  body: row.body,
  bodyBase64: row.body_base64,
}));
export const secretSchema: z.ZodType<{ readonly id: string }> = data(z.object({ id: z.string() })).transform(
  (one) => one.data,
);
export const eventSchema: z.ZodType<{ readonly event: string }> = data(z.object({ event: z.string() })).transform(
  (one) => one.data,
);
export const countSchema: z.ZodType<{ readonly requests: number; readonly hasMore: boolean }> = data(
  z.object({ requests: z.number(), has_more: z.boolean() }),
).transform((one) => ({ requests: one.data.requests, hasMore: one.data.has_more }));
