// Procedures about organizations and their members. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { forOrganization, forPerson } from "../trpc.ts";
import type { OrganizationProcedures } from "./api.ts";
import { memberRole, memberScope } from "./scope.ts";

const name = z.string().trim().min(1, "must not be empty").max(100);
const personId = z.string().min(1).max(64);

export const organizationProcedures: OrganizationProcedures = {
  create: forPerson()
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.organizations.create(ctx.person, input.name)),
  rename: forOrganization("manage")
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.organizations.rename(ctx.person, ctx.organization, input.name)),
  remove: forOrganization("own").mutation(({ ctx }) => ctx.services.organizations.remove(ctx.person, ctx.organization)),
  leave: forOrganization("read").mutation(({ ctx }) =>
    ctx.services.organizations.removeMember(ctx.person, ctx.organization, ctx.person.id),
  ),
  members: forOrganization("read").query(({ ctx }) => ctx.services.organizations.members(ctx.organization)),
  changeMember: forOrganization("manage")
    .input(z.object({ personId, role: memberRole, scope: memberScope }))
    .mutation(({ ctx, input: { personId, role, scope } }) =>
      ctx.services.organizations.changeMember(ctx.person, ctx.organization, { personId, role, scope }),
    ),
  removeMember: forOrganization("manage")
    .input(z.object({ personId }))
    .mutation(({ ctx, input }) =>
      ctx.services.organizations.removeMember(ctx.person, ctx.organization, input.personId),
    ),
};
