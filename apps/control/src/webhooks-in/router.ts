// Procedures about a project's inbound webhooks. In: checked input. Out: the answers of the service. A provider's request can
// contain anything, so a person who can only read a project gets the list, but no content.
import { z } from "zod";
import { forProject } from "../trpc.ts";
import type { InboundProcedures } from "./api.ts";

const source = z.string().min(1).max(100);
const secret = z.object({
  source,
  secret: z.string().min(8, "It must have at least 8 characters.").max(4_096),
  overlapHours: z.number().int().min(0).max(168).optional(),
});
const requests = z.object({
  source: source.optional(),
  status: z.enum(["accepted", "unmapped", "refused"]).optional(),
  cursor: z.string().min(1).max(4096).optional(),
  limit: z.number().int().min(1).max(100).optional(),
});
const request = z.object({ requestId: z.uuid() });

export const inboundProcedures: InboundProcedures = {
  sources: forProject("read").query(({ ctx }) => ctx.services.inbound.sources(ctx.person, ctx.project)),
  addSecret: forProject("manage")
    .input(secret)
    .mutation(({ ctx, input: { projectId: _, ...sent } }) =>
      ctx.services.inbound.addSecret(ctx.person, ctx.project, sent),
    ),
  removeSecret: forProject("manage")
    .input(z.object({ secretId: z.uuid() }))
    .mutation(({ ctx, input }) => ctx.services.inbound.removeSecret(ctx.person, ctx.project, input.secretId)),
  requests: forProject("read")
    .input(requests)
    .query(({ ctx, input }) => ctx.services.inbound.requests(ctx.person, ctx.project, input)),
  request: forProject("write")
    .input(request)
    .query(({ ctx, input }) => ctx.services.inbound.request(ctx.person, ctx.project, input.requestId)),
  replay: forProject("write")
    .input(request)
    .mutation(({ ctx, input }) => ctx.services.inbound.replay(ctx.person, ctx.project, input.requestId)),
  replayUnmapped: forProject("write")
    .input(z.object({ source, since: z.iso.datetime({ offset: true }).optional() }))
    .mutation(({ ctx, input }) => ctx.services.inbound.replayUnmapped(ctx.person, ctx.project, input)),
};
