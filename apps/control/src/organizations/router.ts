// Procedures about organizations and their members. In: checked input. Out: what the service answers.
import { z } from "zod";
import { forOrganization } from "../trpc.ts";
import type { OrganizationProcedures } from "./api.ts";

const email = z.email().max(254);
const role = z.enum(["owner", "viewer"]);

export const organizationProcedures: OrganizationProcedures = {
  members: forOrganization("read").query(({ ctx }) => ctx.services.organizations.members(ctx.organization)),
  addMember: forOrganization("write")
    .input(z.object({ email, role }))
    .mutation(({ ctx, input }) =>
      ctx.services.organizations.addMember(ctx.person, ctx.organization, input.email, input.role),
    ),
  removeMember: forOrganization("write")
    .input(z.object({ personId: z.string().min(1).max(64) }))
    .mutation(({ ctx, input }) =>
      ctx.services.organizations.removeMember(ctx.person, ctx.organization, input.personId),
    ),
};
