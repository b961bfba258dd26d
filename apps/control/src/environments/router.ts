// Procedures about environments. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { forProject, id } from "../trpc.ts";
import type { EnvironmentProcedures } from "./api.ts";

const NAME_MAX = 30;
const name = z
  .string()
  .max(NAME_MAX)
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    `must be lower-case words joined by hyphens, at most ${NAME_MAX} characters`,
  );

const wanted = z
  .object({ kind: z.enum(["development", "preview"]), name: name.optional(), empty: z.boolean().default(false) })
  .transform(({ kind, name: given, empty }) => ({ kind, name: given ?? kind, empty }))
  .refine(({ kind, name: called }) => kind === "preview" || called === kind, {
    path: ["name"],
    error: "only a preview can have its own name",
  })
  .refine(({ kind, name: called }) => kind !== "preview" || (called !== "production" && called !== "development"), {
    path: ["name"],
    error: "a preview can't be called production or development",
  });

const source = z.object({ fromProjectId: id("prj") });

export const environmentProcedures: EnvironmentProcedures = {
  list: forProject("read", "programs").query(({ ctx }) => ctx.services.environments.list(ctx.project)),
  create: forProject("write")
    .input(wanted)
    .mutation(({ ctx, input }) => ctx.services.environments.create(ctx.person, ctx.project, input)),
  delete: forProject("manage").mutation(({ ctx }) => ctx.services.environments.delete(ctx.person, ctx.project)),
  compare: forProject("read", "programs")
    .input(source)
    .query(async ({ ctx, input }) => {
      const from = await ctx.services.access.project(ctx.person, input.fromProjectId, "read");
      return ctx.services.environments.compare(ctx.person, ctx.project, from);
    }),
  promote: forProject("write", "programs")
    .input(source.extend({ overwrite: z.boolean().default(false) }))
    .mutation(async ({ ctx, input }) => {
      const from = await ctx.services.access.project(ctx.person, input.fromProjectId, "read");
      return ctx.services.environments.promote(ctx.person, ctx.project, from, input.overwrite);
    }),
};
