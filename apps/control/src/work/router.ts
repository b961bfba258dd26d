// Procedures about a project's background work. In: checked input. Out: the answers of the service.
import { runKinds, runStatuses } from "@plinth/service";
import { z } from "zod";
import { forProject } from "../trpc.ts";
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
const audit = z.object({ ...page, entity: word.optional(), recordId: z.uuid().optional() });
const run = { runId: z.uuid() };
const note = z.string().max(2_000).optional();
const outOfOrder = z.boolean().optional();
const settled = { step: word.optional(), note, outOfOrder };
const queue = { workflow: word, kind: z.enum(runKinds), until: z.iso.datetime({ offset: true }) };
const schedule = { schedule: word };

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
    .input(z.object({ ...run, from: word.optional(), outOfOrder }))
    .mutation(({ ctx, input: { runId, ...how } }) => ctx.services.work.retry(ctx.person, ctx.project, runId, how)),
  approve: forProject("write")
    .input(z.object({ ...run, step: word, since: z.iso.datetime({ offset: true }), approved: z.boolean(), note }))
    .mutation(({ ctx, input: { runId, note: why = null, step, since, approved } }) =>
      ctx.services.work.approve(ctx.person, ctx.project, runId, { step, since, approved, note: why }),
    ),
  markDone: forProject("write")
    .input(z.object({ ...run, ...settled, output: z.unknown().optional() }))
    .mutation(({ ctx, input: { runId, output = null, ...settled } }) =>
      ctx.services.work.markDone(ctx.person, ctx.project, runId, output, settled),
    ),
  markFailed: forProject("write")
    .input(z.object({ ...run, ...settled }))
    .mutation(({ ctx, input: { runId, ...settled } }) =>
      ctx.services.work.markFailed(ctx.person, ctx.project, runId, settled),
    ),
  audit: forProject("read")
    .input(audit)
    .query(({ ctx, input }) => ctx.services.work.audit(ctx.person, ctx.project, input)),
  queues: forProject("read").query(({ ctx }) => ctx.services.work.queues(ctx.person, ctx.project)),
  retryAll: forProject("write")
    .input(z.object({ ...queue, code: word }))
    .mutation(({ ctx, input }) => ctx.services.work.retryAll(ctx.person, ctx.project, input, input.code)),
  settleAll: forProject("write")
    .input(
      z.object({
        ...queue,
        calls: z.enum(["done", "failed", "again"]),
        step: word.optional(),
        output: z.unknown().optional(),
        note,
      }),
    )
    .mutation(({ ctx, input: { workflow, kind, until, calls, step, output, note: why } }) =>
      ctx.services.work.settleAll(
        ctx.person,
        ctx.project,
        { workflow, kind, until },
        { calls, step, output, note: why },
      ),
    ),
  cancelAll: forProject("write")
    .input(z.object(queue))
    .mutation(({ ctx, input }) => ctx.services.work.cancelAll(ctx.person, ctx.project, input)),
  callAction: forProject("write")
    .input(z.object({ action: word, input: z.record(z.string(), z.unknown()) }))
    .mutation(({ ctx, input }) => ctx.services.work.callAction(ctx.person, ctx.project, input.action, input.input)),
  revealSigningSecret: forProject("manage").mutation(({ ctx }) =>
    ctx.services.work.revealSecret(ctx.person, ctx.project),
  ),
  rotateSigningSecret: forProject("manage").mutation(({ ctx }) =>
    ctx.services.work.rotateSecret(ctx.person, ctx.project),
  ),
  schedules: forProject("read").query(({ ctx }) => ctx.services.work.schedules(ctx.person, ctx.project)),
  runSchedule: forProject("write")
    .input(z.object(schedule))
    .mutation(({ ctx, input }) => ctx.services.work.runSchedule(ctx.person, ctx.project, input.schedule)),
  pauseSchedule: forProject("write")
    .input(z.object(schedule))
    .mutation(({ ctx, input }) => ctx.services.work.pauseSchedule(ctx.person, ctx.project, input.schedule)),
  resumeSchedule: forProject("write")
    .input(z.object({ ...schedule, skipMissed: z.boolean().optional() }))
    .mutation(({ ctx, input: { schedule: name, skipMissed = false } }) =>
      ctx.services.work.resumeSchedule(ctx.person, ctx.project, name, skipMissed),
    ),
};
