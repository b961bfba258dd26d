// Procedures about a project's webhooks. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { forProject } from "../trpc.ts";
import type { WebhookProcedures } from "./api.ts";

const page = { cursor: z.string().min(1).max(4096).optional(), limit: z.number().int().min(1).max(100).optional() };
const endpoint = { endpointId: z.uuid() };
const delivery = { deliveryId: z.uuid() };
const created = z.object({
  url: z.string().min(1).max(2_000),
  events: z.array(z.string().min(1).max(120)).min(1).max(100),
  description: z.string().max(500).optional(),
  payload: z.enum(["full", "thin"]).optional(),
  signing: z.enum(["hmac", "ed25519"]).optional(),
  listener: z.boolean().optional(),
});
const outcome = z.object({
  id: z.uuid(),
  attempt: z.number().int().min(1),
  status: z.number().int().min(100).max(599).optional(),
  body: z.string().max(10_000).optional(),
  error: z.enum(["unreachable", "no_answer"]).optional(),
});
const endpoints = z.object({
  ...page,
  url: z.string().min(1).max(2_000).optional(),
  state: z.enum(["enabled", "failing", "disabled"]).optional(),
  userId: z.uuid().optional(),
  organizationId: z.uuid().optional(),
});
const deliveries = z.object({
  ...page,
  endpointId: z.uuid().optional(),
  status: z.enum(["pending", "delivered", "failed", "revoked"]).optional(),
});

export const webhookProcedures: WebhookProcedures = {
  endpoints: forProject("read")
    .input(endpoints)
    .query(({ ctx, input }) => ctx.services.webhooks.endpoints(ctx.person, ctx.project, input)),
  endpoint: forProject("read")
    .input(z.object(endpoint))
    .query(({ ctx, input }) => ctx.services.webhooks.endpoint(ctx.person, ctx.project, input.endpointId)),
  create: forProject("manage")
    .input(created)
    .mutation(({ ctx, input: { projectId: _, ...sent } }) =>
      ctx.services.webhooks.create(ctx.person, ctx.project, sent),
    ),
  update: forProject("manage")
    .input(created.pick({ url: true, events: true, description: true, payload: true }).partial().extend(endpoint))
    .mutation(({ ctx, input: { projectId: _, endpointId, ...changed } }) =>
      ctx.services.webhooks.update(ctx.person, ctx.project, endpointId, changed),
    ),
  setEnabled: forProject("manage")
    .input(z.object({ ...endpoint, enabled: z.boolean() }))
    .mutation(({ ctx, input }) =>
      ctx.services.webhooks.setEnabled(ctx.person, ctx.project, input.endpointId, input.enabled),
    ),
  remove: forProject("manage")
    .input(z.object(endpoint))
    .mutation(({ ctx, input }) => ctx.services.webhooks.remove(ctx.person, ctx.project, input.endpointId)),
  rotate: forProject("manage")
    .input(z.object(endpoint))
    .mutation(({ ctx, input }) => ctx.services.webhooks.rotate(ctx.person, ctx.project, input.endpointId)),
  test: forProject("write")
    .input(z.object(endpoint))
    .mutation(({ ctx, input }) => ctx.services.webhooks.test(ctx.person, ctx.project, input.endpointId)),
  pull: forProject("write")
    .input(z.object({ ...endpoint, outcomes: z.array(outcome).max(100) }))
    .mutation(({ ctx, input }) =>
      ctx.services.webhooks.pull(ctx.person, ctx.project, input.endpointId, input.outcomes),
    ),
  replayFailed: forProject("write")
    .input(z.object({ ...endpoint, since: z.iso.datetime({ offset: true }) }))
    .mutation(({ ctx, input }) =>
      ctx.services.webhooks.replayFailed(ctx.person, ctx.project, input.endpointId, input.since),
    ),
  deliveries: forProject("read")
    .input(deliveries)
    .query(({ ctx, input }) => ctx.services.webhooks.deliveries(ctx.person, ctx.project, input)),
  delivery: forProject("read")
    .input(z.object(delivery))
    .query(({ ctx, input }) => ctx.services.webhooks.delivery(ctx.person, ctx.project, input.deliveryId)),
  replay: forProject("write")
    .input(z.object(delivery))
    .mutation(({ ctx, input }) => ctx.services.webhooks.replay(ctx.person, ctx.project, input.deliveryId)),
};
