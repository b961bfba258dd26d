// A project's mail, asked of its cell in the name of the person who looks. In: a connection, or which mail. Out: what the cell knows. What
// is secret of a connection passes through, and is kept nowhere here.
import { z } from "zod";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import { askCell, type CellRefusals } from "../deployments/cell-failure.ts";
import { CellRefused, type Cells } from "../deployments/publish.ts";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { MailConnection, MailContent, MailSummary } from "./api.ts";

interface GivenConnection {
  readonly name: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

export interface MailService {
  connections(by: Person, project: ProjectAccess): Promise<readonly MailConnection[] | null>;
  setConnection(by: Person, project: ProjectAccess, given: GivenConnection): Promise<MailConnection>;
  removeConnection(by: Person, project: ProjectAccess, name: string): Promise<{ readonly name: string }>;
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

function data<Item>(item: z.ZodType<Item>): z.ZodType<Item> {
  return z.object({ data: item }).transform((reply) => reply.data);
}

const refusals: CellRefusals = {
  403: (refused) => refuse("FORBIDDEN", refused.detail),
  422: (refused) => refuse("BAD_REQUEST", refused.detail),
};

export function createMailService({ cells, db }: { readonly cells: Cells; readonly db: ControlDatabase }): MailService {
  const look = <T>(by: Person, project: ProjectAccess, path: string, answer: z.ZodType<T>): Promise<T> =>
    cells.look(project, actorOf(by, project), path, answer);
  /** Written first: what is done must not be missing in the log; what it says may have been refused. */
  const note = (by: Person, project: ProjectAccess, action: string, name: string): Promise<void> =>
    writeAudit(db, { personId: by.id, projectId: project.id, subject: name, action, detail: {} });
  return {
    connections: (by, project) => orNull(look(by, project, "/v1/connections", data(z.array(connectionRow)))),
    async setConnection(by, project, given) {
      await note(by, project, "connection.set", given.name);
      const set = cells.act(project, actorOf(by, project), "/v1/connections", given, data(connectionRow));
      return askCell(set, { ...refusals, 404: () => notFound("live version that sends mail") });
    },
    async removeConnection(by, project, name) {
      await note(by, project, "connection.removed", name);
      const answer = data(z.object({ name: z.string() }));
      const removed = cells.act(project, actorOf(by, project), "/v1/connections/remove", { name }, answer);
      return askCell(removed, { ...refusals, 404: () => notFound("connection") });
    },
    list: (by, project) => orNull(look(by, project, "/v1/emails", data(z.array(mailRow)))),
    read: (by, project, emailId) =>
      askCell(look(by, project, `/v1/emails/${emailId}`, data(mailContent)), {
        ...refusals,
        404: () => notFound("mail"),
      }),
  };
}

/** A live version from before, or one without the modules that send mail. */
async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  const orAbsent = answer.catch((error: unknown) => {
    if (error instanceof CellRefused && error.status === 404) return null;
    throw error;
  });
  return askCell(orAbsent, refusals);
}

function actorOf(by: Person, project: ProjectAccess): { readonly email: string; readonly role: "operator" | "viewer" } {
  return { email: by.email, role: project.role === "owner" ? "operator" : "viewer" };
}
