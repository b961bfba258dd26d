// Procedures about proposals. In: checked input. Out: what the service answers.
import { z } from "zod";
import { blueprintText } from "../blueprints/text.ts";
import { forProject, forProposal } from "../trpc.ts";
import type { ProposalProcedures } from "./api.ts";

export const proposalProcedures: ProposalProcedures = {
  create: forProject("write")
    .input(z.object({ text: blueprintText }))
    .mutation(({ ctx, input }) => ctx.services.proposals.create(ctx.person, ctx.project, input.text)),
  get: forProposal("read").query(({ ctx, input }) => ctx.services.proposals.get(input.proposalId)),
  list: forProject("read").query(({ ctx }) => ctx.services.proposals.list(ctx.project)),
  approve: forProposal("write")
    .input(z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/, "must be the proposal's hash") }))
    .mutation(({ ctx, input }) => ctx.services.proposals.approve(ctx.person, input.proposalId, input.hash)),
  reject: forProposal("write").mutation(({ ctx, input }) =>
    ctx.services.proposals.reject(ctx.person, input.proposalId),
  ),
};
