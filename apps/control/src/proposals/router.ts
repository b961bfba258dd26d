// Procedures about proposals. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { blueprintText } from "../blueprints/text.ts";
import { refuse } from "../failure.ts";
import { forProject, forProposal } from "../trpc.ts";
import type { ProposalProcedures } from "./api.ts";
import { TITLE_MAX } from "./title.ts";

const USE_A_PROGRAM =
  "author: the access token decides who the author is. Create a token for programs in your account, and use it for texts of an AI.";

const title = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(TITLE_MAX)
  .regex(/^\P{Cc}*$/u, "must be one line");

const states = z.enum([
  "open",
  "approved",
  "deploying",
  "live",
  "unfinished",
  "failed",
  "replaced",
  "rejected",
  "outdated",
]);

export const proposalProcedures: ProposalProcedures = {
  create: forProject("write", "programs")
    .input(z.object({ text: blueprintText, title: title.optional(), author: z.enum(["person", "ai"]).optional() }))
    .mutation(({ ctx, input: { author, ...asked } }) => {
      // An honest client of an older version must not be taken for a person.
      if (author === "ai" && ctx.person.isProgram !== true) throw refuse("BAD_REQUEST", USE_A_PROGRAM);
      return ctx.services.proposals.create(ctx.person, ctx.project, { ...asked, isByAi: false });
    }),
  preview: forProject("write", "programs")
    .input(z.object({ text: blueprintText }))
    .mutation(({ ctx, input }) => ctx.services.proposals.preview(ctx.person, ctx.project, input.text)),
  createFromVersion: forProject("write", "programs")
    .input(z.object({ versionId: z.string().regex(/^ver_[0-9a-z]{20}$/, "must be a version's id") }))
    .mutation(({ ctx, input }) => ctx.services.proposals.createFromVersion(ctx.person, ctx.project, input.versionId)),
  renew: forProposal("write", "programs").mutation(({ ctx, input }) =>
    ctx.services.renewal.renew(ctx.person, ctx.project, input.proposalId),
  ),
  measure: forProposal("write").mutation(({ ctx, input }) =>
    ctx.services.proposals.measure(ctx.person, ctx.project, input.proposalId),
  ),
  get: forProposal("read", "programs").query(({ ctx, input }) => ctx.services.proposals.get(input.proposalId)),
  list: forProject("read", "programs").query(({ ctx }) => ctx.services.proposals.list(ctx.project)),
  timeline: forProject("read", "programs")
    .input(
      z.object({
        states: z.array(states).min(1).max(9).readonly().optional(),
        search: z.string().trim().max(TITLE_MAX).optional(),
        before: z.int().min(1).optional(),
      }),
    )
    .query(({ ctx, input }) => ctx.services.proposals.timeline(ctx.project, input)),
  rename: forProposal("write")
    .input(z.object({ title }))
    .mutation(({ ctx, input }) => ctx.services.proposals.rename(ctx.person, input.proposalId, input.title)),
  approve: forProposal("write")
    .input(
      z.object({
        hash: z.string().regex(/^[0-9a-f]{64}$/, "must be the proposal's hash"),
        consents: z.array(z.string().max(500)).max(10_000).readonly(),
      }),
    )
    .mutation(({ ctx, input }) =>
      ctx.services.proposals.approve(ctx.person, ctx.project, input.proposalId, input.hash, input.consents),
    ),
  reject: forProposal("write").mutation(({ ctx, input }) =>
    ctx.services.proposals.reject(ctx.person, input.proposalId),
  ),
};
