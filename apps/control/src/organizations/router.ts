// Procedures about organizations and their members. In: checked input. Out: what the service answers.
import { z } from "zod";
import { forOrganization } from "../trpc.ts";
import type { OrganizationProcedures } from "./api.ts";
import { memberRole, memberScope } from "./scope.ts";

const personId = z.string().min(1).max(64);

export const organizationProcedures: OrganizationProcedures = {
  members: forOrganization("read").query(({ ctx }) => ctx.services.organizations.members(ctx.organization)),
  changeMember: forOrganization("write")
    .input(z.object({ personId, role: memberRole, scope: memberScope }))
    .mutation(({ ctx, input: { personId, role, scope } }) =>
      ctx.services.organizations.changeMember(ctx.person, ctx.organization, { personId, role, scope }),
    ),
  removeMember: forOrganization("write")
    .input(z.object({ personId }))
    .mutation(({ ctx, input }) =>
      ctx.services.organizations.removeMember(ctx.person, ctx.organization, input.personId),
    ),
};
