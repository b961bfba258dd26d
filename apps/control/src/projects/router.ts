// Procedures about projects. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { forOrganization, forProject, id } from "../trpc.ts";
import type { ProjectProcedures } from "./api.ts";

const slug = z
  .string()
  .max(40)
  .regex(
    /^[a-z](?:[a-z0-9]|-(?!-))*[a-z0-9]$/,
    "must be 2 to 40 lower-case letters, digits and single hyphens, a letter first",
  );

const role = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, "must be a role's name");

export const projectProcedures: ProjectProcedures = {
  list: forOrganization("read", "programs").query(({ ctx }) => ctx.services.projects.list(ctx.organization)),
  create: forOrganization("manage")
    .input(z.object({ slug }))
    .mutation(({ ctx, input }) => ctx.services.projects.create(ctx.person, ctx.organization, input.slug)),
  get: forProject("read", "programs").query(async ({ ctx }) => {
    const live = await ctx.services.blueprints.current(ctx.project);
    return ctx.services.projects.get(ctx.project, live?.hash ?? null);
  }),
  status: forProject("read", "programs").query(({ ctx }) => ctx.services.projects.status(ctx.project)),
  remove: forProject("manage")
    .input(z.object({ name: z.string().max(100) }))
    .mutation(({ ctx, input }) => ctx.services.deletion.remove(ctx.person, ctx.project, input.name)),
  deleted: forOrganization("manage").query(({ ctx }) => ctx.services.deletion.deleted(ctx.organization)),
  restore: forOrganization("manage")
    .input(z.object({ projectId: id("prj") }))
    .mutation(({ ctx, input }) => ctx.services.deletion.restore(ctx.person, ctx.organization, input.projectId)),
  grantUser: forProject("manage")
    .input(z.object({ email: z.email().max(254), roles: z.array(role).max(20) }))
    .mutation(({ ctx, input }) => ctx.services.projects.grantUser(ctx.person, ctx.project, input.email, input.roles)),
};
