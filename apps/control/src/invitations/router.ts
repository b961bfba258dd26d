// Procedures about invitations. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { memberRole, memberScope } from "../organizations/scope.ts";
import { forOrganization, forPerson, id } from "../trpc.ts";
import type { InvitationProcedures } from "./api.ts";

const email = z.email("must be an email address").max(254);
const token = z.string().min(1).max(200);

export const invitationProcedures: InvitationProcedures = {
  list: forOrganization("manage").query(({ ctx }) => ctx.services.invitations.list(ctx.organization)),
  create: forOrganization("manage")
    .input(z.object({ email, role: memberRole, scope: memberScope }))
    .mutation(({ ctx, input: { email, role, scope } }) =>
      ctx.services.invitations.create(ctx.person, ctx.organization, { email, role, scope }),
    ),
  renew: forOrganization("manage")
    .input(z.object({ invitationId: id("inv") }))
    .mutation(({ ctx, input }) => ctx.services.invitations.renew(ctx.person, ctx.organization, input.invitationId)),
  revoke: forOrganization("manage")
    .input(z.object({ invitationId: id("inv") }))
    .mutation(({ ctx, input }) => ctx.services.invitations.revoke(ctx.person, ctx.organization, input.invitationId)),
  open: forPerson()
    .input(z.object({ token }))
    .mutation(({ ctx, input }) => ctx.services.invitations.open(ctx.person, input.token)),
  accept: forPerson()
    .input(z.object({ token }))
    .mutation(({ ctx, input }) => ctx.services.invitations.accept(ctx.person, input.token)),
};
