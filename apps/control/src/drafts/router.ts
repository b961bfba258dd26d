// Procedures about drafts. In: checked input. Out: the answers of the service. A draft belongs to its author. A person who can't
// change the project has none.
import { z } from "zod";
import { blueprintText } from "../blueprints/text.ts";
import { forProject, id } from "../trpc.ts";
import type { DraftProcedures } from "./api.ts";

const version = z.int().min(1);

export const draftProcedures: DraftProcedures = {
  get: forProject("write").query(({ ctx }) => ctx.services.drafts.get(ctx.person, ctx.project)),
  save: forProject("write")
    .input(z.object({ text: blueprintText, after: version.nullable(), baseVersionId: id("ver").nullable() }))
    .mutation(({ ctx, input }) => ctx.services.drafts.save(ctx.person, ctx.project, input)),
  discard: forProject("write")
    .input(z.object({ version }))
    .mutation(({ ctx, input }) => ctx.services.drafts.discard(ctx.person, ctx.project, input.version)),
  restore: forProject("write").mutation(({ ctx }) => ctx.services.drafts.restore(ctx.person, ctx.project)),
  history: forProject("write").query(({ ctx }) => ctx.services.drafts.history(ctx.person, ctx.project)),
  earlier: forProject("write")
    .input(z.object({ version }))
    .query(({ ctx, input }) => ctx.services.drafts.earlier(ctx.person, ctx.project, input.version)),
};
