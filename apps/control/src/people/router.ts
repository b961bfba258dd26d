// Procedures about the signed-in person. In: a session, or an access token, which only identifies the person. Out: the person,
// their memberships, and changes of their account. An access token can't change credentials.
import { z } from "zod";
import { forPerson, forSession } from "../trpc.ts";
import type { MeProcedures } from "./api.ts";

const name = z.string().trim().min(1, "must not be empty").max(100);
const email = z.email("must be an email address").max(254);
const password = z.string().min(1, "must not be empty").max(256);

export const meProcedures: MeProcedures = {
  get: forPerson("programs").query(async ({ ctx }) => ({
    person: {
      id: ctx.person.id,
      name: ctx.person.name,
      email: ctx.person.email,
      ...(await ctx.services.account.facts(ctx.person)),
    },
    organizations: await ctx.services.organizations.ofPerson(ctx.person),
  })),
  sessions: forSession().query(({ ctx }) => ctx.services.account.sessions(ctx.person, ctx.sessionId)),
  endSession: forSession()
    .input(z.object({ sessionId: z.string().min(1).max(64) }))
    .mutation(({ ctx, input }) => ctx.services.account.endSession(ctx.person, input.sessionId)),
  rename: forSession()
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.account.rename(ctx.person, input.name)),
  changeEmail: forSession()
    .input(z.object({ email, password }))
    .mutation(({ ctx, input }) => ctx.services.account.changeEmail(ctx.person, input.email, input.password)),
  setTheme: forSession()
    .input(z.object({ theme: z.enum(["system", "light", "dark"]) }))
    .mutation(({ ctx, input }) => ctx.services.account.setTheme(ctx.person, input.theme)),
  remove: forSession()
    .input(z.object({ password }))
    .mutation(({ ctx, input }) => ctx.services.account.remove(ctx.person, input.password)),
};
