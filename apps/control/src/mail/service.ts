// A project's mail, requested from its cell on behalf of a person. In: a connection, or a selection of mails. Out: the cell's
// answers. Secrets of a connection are passed on, and never stored here.
import { z } from "zod";
import { actorOf } from "../cells/call-as-person.ts";
import { type CellRefusals, callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { CellRefused } from "../cells/failures.ts";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { MailConnection, MailContent, MailPreview, MailSummary, MailSuppression, MailTemplate } from "./api.ts";

interface GivenConnection {
  readonly name: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

interface Previewed {
  readonly template: string;
  readonly language?: string | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

export interface MailService {
  connections(by: Person, project: ProjectAccess): Promise<readonly MailConnection[] | null>;
  setConnection(by: Person, project: ProjectAccess, given: GivenConnection): Promise<MailConnection>;
  removeConnection(by: Person, project: ProjectAccess, name: string): Promise<{ readonly name: string }>;
  testConnection(by: Person, project: ProjectAccess, name: string): Promise<{ readonly name: string }>;
  templates(by: Person, project: ProjectAccess): Promise<readonly MailTemplate[] | null>;
  preview(by: Person, project: ProjectAccess, given: Previewed): Promise<MailPreview>;
  suppressions(by: Person, project: ProjectAccess): Promise<readonly MailSuppression[] | null>;
  suppress(by: Person, project: ProjectAccess, address: string): Promise<{ readonly address: string }>;
  unsuppress(by: Person, project: ProjectAccess, address: string): Promise<{ readonly address: string }>;
  list(by: Person, project: ProjectAccess): Promise<readonly MailSummary[] | null>;
  read(by: Person, project: ProjectAccess, emailId: string): Promise<MailContent>;
}

const text = z.string().nullable();
const connectionRow: z.ZodType<MailConnection> = z
  .object({
    name: z.string(),
    provider: z.string(),
    settings: z.record(z.string(), z.union([z.string(), z.number()])),
    secrets: z.array(z.string()),
    updated_at: z.string(),
  })
  .transform(({ updated_at, ...row }) => ({ ...row, updatedAt: updated_at }));
const mail = z.object({
  id: z.string(),
  status: z.string(),
  template: text,
  error: text,
  created_at: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
});
const mailRow: z.ZodType<MailSummary> = mail.transform(({ created_at, ...row }) => ({ ...row, createdAt: created_at }));
const mailContent: z.ZodType<MailContent> = mail
  .extend({ text, html: text })
  .transform(({ created_at, ...row }) => ({ ...row, createdAt: created_at }));

const templateRow: z.ZodType<MailTemplate> = z.object({
  name: z.string(),
  help: text,
  language: z.string(),
  languages: z.array(z.string()),
  example: z.record(z.string(), z.unknown()),
});
const previewAnswer: z.ZodType<MailPreview> = z.object({ subject: z.string(), text: z.string(), html: text });
const suppressionRow: z.ZodType<MailSuppression> = z
  .object({
    address: z.string(),
    reason: z.enum(["bounced", "complained", "manual"]),
    created_at: z.string(),
  })
  .transform(({ created_at, ...row }) => ({ ...row, createdAt: created_at }));
const nothing = z.unknown();
const named = z.object({ name: z.string() });

function data<Item>(item: z.ZodType<Item>): z.ZodType<Item> {
  return z.object({ data: item }).transform((reply) => reply.data);
}

const refusals: CellRefusals = {
  403: (refused) => refuse("FORBIDDEN", refused.detail),
  422: (refused) => refuse("BAD_REQUEST", refused.detail),
  429: (refused) => refuse("TOO_MANY_REQUESTS", refused.detail),
};

export function createMailService({ cells, db }: { readonly cells: Cells; readonly db: ControlDatabase }): MailService {
  const look = <T>(by: Person, project: ProjectAccess, path: string, answer: z.ZodType<T>): Promise<T> =>
    cells.look(project, actorOf(by, project), path, answer);
  /** Recorded before the call, so that no action is missing in the log. An entry may belong to an action that was refused. */
  const note = (by: Person, project: ProjectAccess, action: string, name: string): Promise<void> =>
    writeAudit(db, { personId: by.id, projectId: project.id, subject: name, action, detail: {} });
  return {
    connections: (by, project) => orNull(look(by, project, "/v1/connections", data(z.array(connectionRow)))),
    async setConnection(by, project, given) {
      await note(by, project, "connection.set", given.name);
      const set = cells.act(project, actorOf(by, project), "/v1/connections", given, data(connectionRow));
      return callCell(set, { ...refusals, 404: () => notFound("live version that sends mail") });
    },
    async removeConnection(by, project, name) {
      await note(by, project, "connection.removed", name);
      const removed = cells.act(project, actorOf(by, project), "/v1/connections/remove", { name }, data(named));
      return callCell(removed, { ...refusals, 404: () => notFound("connection") });
    },
    testConnection: (by, project, name) =>
      callCell(cells.act(project, actorOf(by, project), "/v1/connections/test", { name }, data(named)), {
        ...refusals,
        404: () => notFound("connection"),
      }),
    templates: (by, project) => orNull(look(by, project, "/v1/email-templates", data(z.array(templateRow)))),
    preview: (by, project, given) =>
      callCell(cells.act(project, actorOf(by, project), "/v1/emails/preview", given, data(previewAnswer)), {
        ...refusals,
        404: () => notFound("template"),
      }),
    suppressions: (by, project) => orNull(look(by, project, "/v1/email-suppressions", data(z.array(suppressionRow)))),
    // Without its address, which readers of the log don't need.
    async suppress(by, project, address) {
      await note(by, project, "email_suppression.added", "email");
      await callCell(cells.act(project, actorOf(by, project), "/v1/email-suppressions", { address }, nothing), {
        ...refusals,
        404: () => notFound("live version that sends mail"),
      });
      return { address };
    },
    async unsuppress(by, project, address) {
      await note(by, project, "email_suppression.removed", "email");
      const path = "/v1/email-suppressions/remove";
      await callCell(cells.act(project, actorOf(by, project), path, { address }, nothing), {
        ...refusals,
        404: () => notFound("suppressed address"),
      });
      return { address };
    },
    list: (by, project) => orNull(look(by, project, "/v1/emails", data(z.array(mailRow)))),
    read: (by, project, emailId) =>
      callCell(look(by, project, `/v1/emails/${emailId}`, data(mailContent)), {
        ...refusals,
        404: () => notFound("mail"),
      }),
  };
}

/** For a live version of an older Plinth, or one without the modules that send mail. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  const orAbsent = answer.catch((error: unknown) => {
    if (error instanceof CellRefused && error.status === 404) return null;
    throw error;
  });
  return callCell(orAbsent, refusals);
}
