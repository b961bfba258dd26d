// Procedures about a project's events and runs. In: checked input. Out: what the service answers.
import { z } from "zod";
import { forProject } from "../trpc.ts";
import { runStatuses } from "./answers.ts";
import type { WorkProcedures } from "./api.ts";

const word = z.string().min(1).max(200);
const page = {
  cursor: z.string().min(1).max(4096).optional(),
  limit: z.number().int().min(1).max(100).optional(),
  requestId: word.optional(),
};
const events = z.object({ ...page, entity: word.optional(), name: word.optional(), recordId: z.uuid().optional() });
const runs = z.object({
  ...page,
  eventId: z.uuid().optional(),
  status: z.enum(runStatuses).optional(),
  workflow: word.optional(),
});
const run = { runId: z.uuid() };

export const workProcedures: WorkProcedures = {
  events: forProject("read")
    .input(events)
    .query(({ ctx, input }) => ctx.services.work.events(ctx.person, ctx.project, input)),
  event: forProject("read")
    .input(z.object({ eventId: z.uuid() }))
    .query(({ ctx, input }) => ctx.services.work.event(ctx.person, ctx.project, input.eventId)),
  runs: forProject("read")
    .input(runs)
    .query(({ ctx, input }) => ctx.services.work.runs(ctx.person, ctx.project, input)),
  run: forProject("read")
    .input(z.object(run))
    .query(({ ctx, input }) => ctx.services.work.run(ctx.person, ctx.project, input.runId)),
  cancel: forProject("write")
    .input(z.object(run))
    .mutation(({ ctx, input }) => ctx.services.work.cancel(ctx.person, ctx.project, input.runId)),
  retry: forProject("write")
    .input(z.object({ ...run, from: word.optional() }))
    .mutation(({ ctx, input }) => ctx.services.work.retry(ctx.person, ctx.project, input.runId, input.from ?? null)),
  approve: forProject("write")
    .input(z.object({ ...run, approved: z.boolean(), note: z.string().max(2_000).optional() }))
    .mutation(({ ctx, input: { runId, approved, note = null } }) =>
      ctx.services.work.approve(ctx.person, ctx.project, runId, { approved, note }),
    ),
};
