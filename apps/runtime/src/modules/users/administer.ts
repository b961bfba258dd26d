// An operator's actions on an account: create it, disable it, end its sessions, have a mail sent. In: a user, and the
// operator. Out: nothing, or a Fault. It never sees a password. Each action has its line in the project's audit log, in
// its own transaction.
import { randomUUID } from "node:crypto";
import type { CreatedUser, NewUserBody } from "@plinth/bundle/cell";
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool } from "pg";
import type { AccountMails } from "../../mail/account-mail-queue.ts";
import { arrayLiteral } from "../../query/parameters.ts";
import { actorOf, writeAudit } from "../audit.ts";
import type { AccountTokens } from "../auth/account-tokens.ts";
import { endSessionsOf, lockAccount } from "../auth/session.ts";
import { type CredentialsOptions, changeCredentials } from "../change-credentials.ts";
import { type Acting, writeChange } from "../write-change.ts";
import { markDisabled } from "./disabled.ts";
import { canMail } from "./find-users.ts";
import { requireKnownRoles } from "./grant-roles.ts";

export interface AdministerOptions extends CredentialsOptions {
  readonly pool: Pool;
  readonly accountTokens: AccountTokens;
  readonly accountMails: AccountMails;
}

/** @throws Fault unique_violation, validation_failed. */
export async function createUser(
  options: AdministerOptions,
  acting: Acting,
  wanted: NewUserBody,
): Promise<CreatedUser> {
  const { release } = acting;
  const email = wanted.email.toLowerCase();
  const roles = [...new Set(wanted.roles)].sort();
  requireKnownRoles(release, roles);
  const id = randomUUID();
  await options.scopeOf(release.projectId).transaction(async (open) => {
    const rows = await writeChange(open, acting, {
      entity: "user",
      operation: "create",
      mutation: `INSERT INTO ${release.schema}.users (id, email, name, roles) VALUES ($1::uuid, $2, $3, $4::text[])
        ON CONFLICT (email) DO NOTHING RETURNING *`,
      values: [id, email, wanted.name, arrayLiteral(roles)],
      record: "written",
      changes: { email, name: wanted.name, roles },
      events: [{ name: "user.created" }],
      returning: "_w.id::text",
    });
    if (rows[0] === undefined)
      throw new Fault("unique_violation", { detail: "Another user already has this e-mail address." });
  });
  const token = await options.accountTokens.makeReset(release.projectId, id);
  if (await canMail(options.pool, release)) {
    await mail(options, acting, email, token);
    return { id, isMailed: true, token: null, link: null };
  }
  const page = release.bundle.background.accounts?.resetUrl ?? null;
  return { id, isMailed: false, token, link: page === null ? null : `${page}#token=${encodeURIComponent(token)}` };
}

/** Also changes the epoch, so that after one second no replica accepts a token of the user. @throws Fault not_found. */
export async function setDisabled(
  options: CredentialsOptions,
  acting: Acting,
  userId: string,
  disabled: boolean,
): Promise<void> {
  const { release } = acting;
  await changeCredentials(options, release.projectId, async (open) => {
    await lockAccount(open, release.schema, userId, "exclusive");
    await requireUser(open, acting, userId);
    if (disabled) await endSessionsOf(open, release.schema, userId, null);
    await audit(open, acting, disabled ? "disable" : "enable", userId, {});
    await markDisabled(open, release.projectId, userId, disabled ? actorOf(acting.principal).id : null);
  });
}

/** @param family Null for all of the user. @throws Fault not_found. */
export async function endSessions(
  options: CredentialsOptions,
  acting: Acting,
  userId: string,
  family: string | null,
): Promise<void> {
  const { release } = acting;
  await changeCredentials(options, release.projectId, async (open) => {
    await requireUser(open, acting, userId);
    const ended = await endSessionsOf(open, release.schema, userId, family);
    if (ended === 0 && family !== null) throw new Fault("not_found");
    await audit(open, acting, "end_sessions", userId, { sessions: ended });
  });
}

/** @throws Fault not_found, conflict (the project sends no mail). */
export async function mailReset(options: AdministerOptions, acting: Acting, userId: string): Promise<void> {
  const { release } = acting;
  if (!(await canMail(options.pool, release)))
    throw new Fault("conflict", { detail: "The project has no connection for mail. Set one up under Mail first." });
  const email = await options.scopeOf(release.projectId).transaction(async (open) => {
    const found = await requireUser(open, acting, userId);
    await audit(open, acting, "mail_reset", userId, {});
    return found;
  });
  await mail(options, acting, email, await options.accountTokens.makeReset(release.projectId, userId));
}

async function mail(
  { pool, accountMails }: AdministerOptions,
  { release }: Acting,
  to: string,
  token: string,
): Promise<void> {
  await accountMails.add(pool, release, { kind: "reset_password", to, token });
  accountMails.wake();
}

/** The user's address. */
async function requireUser(open: TenantTransaction, { release }: Acting, userId: string): Promise<string> {
  const { rows } = await open.query(`SELECT u.email FROM ${release.schema}.users u WHERE u.id = $1::uuid`, [userId]);
  const email = rows[0]?.[0];
  if (email == null) throw new Fault("not_found");
  return email;
}

function audit(
  open: TenantTransaction,
  { release, principal, requestId }: Acting,
  operation: string,
  userId: string,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  return writeAudit(open, release, {
    requestId,
    actor: actorOf(principal),
    operation,
    entity: "user",
    recordId: userId,
    changes,
  });
}
