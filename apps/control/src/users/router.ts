// Procedures about a project's end users. In: checked input. Out: the answers of the service. Roles outlive the membership of the
// person who gives them, so a developer can't give any.
import { z } from "zod";
import { forProject } from "../trpc.ts";
import type { UserProcedures } from "./api.ts";

const role = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, "must be a role's name");
const roles = z.array(role).max(20);
const named = z.object({ userId: z.uuid() });

const list = z.object({
  search: z.string().trim().max(200).optional(),
  role: role.optional(),
  disabled: z.boolean().optional(),
  cursor: z.string().min(1).max(200).optional(),
  limit: z.number().int().min(1).max(100).optional(),
});

export const userProcedures: UserProcedures = {
  list: forProject("read")
    .input(list)
    .query(({ ctx, input }) => ctx.services.users.list(ctx.person, ctx.project, input)),
  get: forProject("read")
    .input(named)
    .query(({ ctx, input }) => ctx.services.users.get(ctx.person, ctx.project, input.userId)),
  record: forProject("read")
    .input(named)
    .query(({ ctx, input }) => ctx.services.users.record(ctx.person, ctx.project, input.userId)),
  create: forProject("manage")
    .input(
      z.object({
        email: z.email("must be an email address").max(254),
        name: z.string().trim().max(255).optional(),
        roles,
      }),
    )
    .mutation(({ ctx, input: { email, name, roles } }) =>
      ctx.services.users.create(ctx.person, ctx.project, { email, name: name || null, roles }),
    ),
  setRoles: forProject("manage")
    .input(named.extend({ roles }))
    .mutation(({ ctx, input }) => ctx.services.users.setRoles(ctx.person, ctx.project, input.userId, input.roles)),
  setDisabled: forProject("write")
    .input(named.extend({ disabled: z.boolean() }))
    .mutation(({ ctx, input }) =>
      ctx.services.users.setDisabled(ctx.person, ctx.project, input.userId, input.disabled),
    ),
  endSessions: forProject("write")
    .input(named.extend({ sessionId: z.uuid().optional() }))
    .mutation(({ ctx, input }) =>
      ctx.services.users.endSessions(ctx.person, ctx.project, input.userId, input.sessionId ?? null),
    ),
  mailReset: forProject("write")
    .input(named)
    .mutation(({ ctx, input }) => ctx.services.users.mailReset(ctx.person, ctx.project, input.userId)),
};
