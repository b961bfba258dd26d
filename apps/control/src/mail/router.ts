// Procedures about a project's mail. In: checked input. Out: the answers of the service. Mails contain links that give access, so
// a person who can only read a project can't read them.
import { z } from "zod";
import { forProject } from "../trpc.ts";
import type { MailProcedures } from "./api.ts";

const name = z.string().min(1).max(63);
const connection = z.object({
  name,
  provider: name,
  settings: z.record(z.string().max(63), z.union([z.string().max(2_000), z.number()])),
});

const address = z.string().trim().min(3).max(320);
const previewed = z.object({
  template: name,
  language: z.string().max(35).optional(),
  values: z.record(z.string(), z.unknown()).optional(),
});

export const mailProcedures: MailProcedures = {
  connections: forProject("read").query(({ ctx }) => ctx.services.mail.connections(ctx.person, ctx.project)),
  setConnection: forProject("manage")
    .input(connection)
    .mutation(({ ctx, input: { name, provider, settings } }) =>
      ctx.services.mail.setConnection(ctx.person, ctx.project, { name, provider, settings }),
    ),
  removeConnection: forProject("manage")
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.mail.removeConnection(ctx.person, ctx.project, input.name)),
  testConnection: forProject("manage")
    .input(z.object({ name }))
    .mutation(({ ctx, input }) => ctx.services.mail.testConnection(ctx.person, ctx.project, input.name)),
  templates: forProject("read").query(({ ctx }) => ctx.services.mail.templates(ctx.person, ctx.project)),
  preview: forProject("write")
    .input(previewed)
    .query(({ ctx, input: { template, language, values } }) =>
      ctx.services.mail.preview(ctx.person, ctx.project, { template, language, values }),
    ),
  suppressions: forProject("write").query(({ ctx }) => ctx.services.mail.suppressions(ctx.person, ctx.project)),
  suppress: forProject("write")
    .input(z.object({ address }))
    .mutation(({ ctx, input }) => ctx.services.mail.suppress(ctx.person, ctx.project, input.address)),
  unsuppress: forProject("write")
    .input(z.object({ address }))
    .mutation(({ ctx, input }) => ctx.services.mail.unsuppress(ctx.person, ctx.project, input.address)),
  list: forProject("write").query(({ ctx }) => ctx.services.mail.list(ctx.person, ctx.project)),
  read: forProject("manage")
    .input(z.object({ emailId: z.uuid() }))
    .query(({ ctx, input }) => ctx.services.mail.read(ctx.person, ctx.project, input.emailId)),
};
