// Procedures about the signed-in person. In: a session. Out: who it is and where they are a member.
import { forPerson } from "../trpc.ts";
import type { MeProcedures } from "./api.ts";

export const meProcedures: MeProcedures = {
  get: forPerson().query(async ({ ctx }) => ({
    person: { id: ctx.person.id, name: ctx.person.name, email: ctx.person.email },
    organizations: await ctx.services.organizations.ofPerson(ctx.person),
  })),
};
