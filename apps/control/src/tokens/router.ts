// Procedures about access tokens, and about programs that wait to be signed in. In: checked input. Out: the answers of the
// services.
import { z } from "zod";
import { refuse } from "../failure.ts";
import { forPerson, forSession, id } from "../trpc.ts";
import type { AccessTokenProcedures, DeviceProcedures } from "./api.ts";

const DAYS_MAX = 366;
const userCode = z.string().min(1).max(40);

export const tokenProcedures: AccessTokenProcedures = {
  list: forPerson().query(({ ctx }) => ctx.services.tokens.list(ctx.person)),
  create: forSession()
    .input(
      z.object({
        name: z.string().trim().min(1).max(100),
        days: z.number().int().min(1).max(DAYS_MAX),
        kind: z.enum(["personal", "program"]).default("personal"),
      }),
    )
    .mutation(({ ctx, input }) => ctx.services.tokens.create(ctx.person, input)),
  revoke: forSession()
    .input(z.object({ tokenId: id("tok") }))
    .mutation(({ ctx, input }) => ctx.services.tokens.revoke(ctx.person, input.tokenId)),
  revokeOwn: forPerson("programs").mutation(({ ctx }) => {
    if (ctx.tokenId === null) throw refuse("BAD_REQUEST", "The call carries no access token.");
    return ctx.services.tokens.revoke(ctx.person, ctx.tokenId);
  }),
};

export const deviceProcedures: DeviceProcedures = {
  open: forSession()
    .input(z.object({ userCode }))
    .mutation(({ ctx, input }) => ctx.services.deviceGrants.open(ctx.person, input.userCode)),
  approve: forSession()
    .input(z.object({ userCode }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.deviceGrants.decide(ctx.person, ctx.sessionId, input.userCode, "approved");
      return { approved: true };
    }),
  deny: forSession()
    .input(z.object({ userCode }))
    .mutation(async ({ ctx, input }) => {
      await ctx.services.deviceGrants.decide(ctx.person, ctx.sessionId, input.userCode, "denied");
      return { denied: true };
    }),
};
