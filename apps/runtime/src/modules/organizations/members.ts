// Who belongs to an organization. In: a transaction, the organization, and who acts. Out: members, or a Fault.
// It never leaves an organization that has an owner without one, and never tells strangers that it exists.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";
import { standsAboveOrganizations } from "../../project/principal.ts";
import type { ChangeEvent } from "../write-change.ts";
import { writeWithin } from "./changes.ts";
import { type OrganizationRole, roleOf, type Standing, standingIn } from "./standing.ts";

export interface Member {
  readonly user_id: string;
  readonly role: OrganizationRole;
  readonly created_at: string;
  /** Of the user; for those who manage the members. */
  readonly email?: string;
  readonly name?: string | null;
}

/** Whom a request names: an id or an e-mail address. */
export type Target = { readonly userId: string } | { readonly email: string };

const MEMBERS_MAX = 1_000;
const columns = `m.user_id::text, m.role,
  to_char(m.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), u.email, u.name`;

export async function listMembers(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
): Promise<readonly Member[]> {
  const standing = await standingIn(open, context, organizationId);
  const { schema } = context.release;
  const { rows } = await open.query(
    `SELECT ${columns} FROM ${schema}.memberships m JOIN ${schema}.users u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid ORDER BY m.created_at, m.user_id LIMIT ${MEMBERS_MAX}`,
    [organizationId],
  );
  return rows.map((row) => memberOf(row, standing));
}

/**
 * Gives a member another role. Who stands above organizations (an admin key: the app's own back end) also adds members,
 * since it could write the rows of any organization anyway; users join by invitation alone.
 */
export async function setMember(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  target: Target,
  role: OrganizationRole,
): Promise<{ readonly member: Member; readonly added: boolean }> {
  const standing = await standingIn(open, context, organizationId);
  if (standing.role === "member") throw notAManager();
  const { schema } = context.release;
  const userId = standsAboveOrganizations(context.principal)
    ? await findUser(open, schema, target)
    : await findMember(open, schema, organizationId, target);
  const before = await roleOf(open, schema, organizationId, userId);
  if (standing.role !== "owner" && (before === "owner" || role === "owner")) throw ownersAlone();
  if (before === "owner" && role !== "owner") await requireAnotherOwner(open, schema, organizationId);
  if (before !== role) {
    await writeMember(open, context, organizationId, {
      userId,
      role: [before, role],
      mutation: `INSERT INTO ${schema}.memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, $3)
        ON CONFLICT (organization_id, user_id) DO UPDATE SET role = EXCLUDED.role RETURNING *`,
      values: [organizationId, userId, role],
    });
  }
  const { rows } = await open.query(
    `SELECT ${columns} FROM ${schema}.memberships m JOIN ${schema}.users u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND m.user_id = $2::uuid`,
    [organizationId, userId],
  );
  return { member: memberOf(rows[0] ?? [], standing), added: before === null };
}

/** Takes a member out; everybody may leave. */
export async function removeMember(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  userId: string,
): Promise<void> {
  const standing = await standingIn(open, context, organizationId);
  const { schema } = context.release;
  if (standing.role === "member" && standing.self !== userId) throw notAManager();
  const before = await roleOf(open, schema, organizationId, userId);
  if (before === null) throw new Fault("not_found");
  if (before === "owner") {
    if (standing.role !== "owner") throw ownersAlone();
    await requireAnotherOwner(open, schema, organizationId);
  }
  await writeMember(open, context, organizationId, {
    userId,
    role: [before, null],
    mutation: `DELETE FROM ${schema}.memberships WHERE organization_id = $1::uuid AND user_id = $2::uuid RETURNING *`,
    values: [organizationId, userId],
  });
}

async function findUser(open: TenantTransaction, schema: string, target: Target): Promise<string> {
  const [condition, value, path] =
    "userId" in target ? ["id = $1::uuid", target.userId, "/user_id"] : ["email = $1", target.email, "/email"];
  // FOR KEY SHARE, as the foreign key takes it: who is found here is still there when the row is written.
  const { rows } = await open.query(`SELECT id::text FROM ${schema}.users WHERE ${condition} FOR KEY SHARE`, [value]);
  const id = rows[0]?.[0] ?? null;
  if (id !== null) return id;
  throw new Fault("validation_failed", {
    errors: [{ path, code: "unknown_reference", message: "There is no such user." }],
  });
}

/** Among the members alone: whether anybody else has an account is not theirs to learn. */
async function findMember(
  open: TenantTransaction,
  schema: string,
  organizationId: string,
  target: Target,
): Promise<string> {
  const [condition, value] = "userId" in target ? ["u.id = $2::uuid", target.userId] : ["u.email = $2", target.email];
  const { rows } = await open.query(
    `SELECT m.user_id::text FROM ${schema}.memberships m JOIN ${schema}.users u ON u.id = m.user_id
     WHERE m.organization_id = $1::uuid AND ${condition}`,
    [organizationId, value],
  );
  const id = rows[0]?.[0] ?? null;
  if (id !== null) return id;
  throw new Fault("not_found", {
    detail: "The organization has no such member. People join by invitation: POST .../invitations.",
  });
}

async function requireAnotherOwner(open: TenantTransaction, schema: string, organizationId: string): Promise<void> {
  const { rows } = await open.query(
    `SELECT count(*)::text FROM ${schema}.memberships WHERE organization_id = $1::uuid AND role = 'owner'`,
    [organizationId],
  );
  if (Number(rows[0]?.[0]) > 1) return;
  throw new Fault("conflict", { detail: "An organization keeps at least one owner: name another one first." });
}

interface WrittenMember {
  readonly userId: string;
  /** Before and after; null where they were none, or are none any more. */
  readonly role: readonly [OrganizationRole | null, OrganizationRole | null];
  readonly mutation: string;
  readonly values: readonly string[];
}

async function writeMember(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  { userId, role, mutation, values }: WrittenMember,
): Promise<void> {
  await writeWithin(open, context, organizationId, {
    operation: "set_member",
    mutation,
    values,
    changes: { user_id: userId, role },
    events: [memberEvent(userId, role)],
    returning: "true::text",
  });
}

/** What became of a membership. */
export function memberEvent(userId: string, [before, after]: WrittenMember["role"]): ChangeEvent {
  if (after === null) return { name: "organization.member_removed", data: { user_id: userId, role: before } };
  if (before === null) return { name: "organization.member_added", data: { user_id: userId, role: after } };
  return {
    name: "organization.member_role_changed",
    data: { user_id: userId, role: after, role_before: before },
  };
}

function memberOf(row: readonly (string | null)[], { role: standing }: Standing): Member {
  const [userId, role, createdAt, email, name] = row;
  if (userId == null || createdAt == null) throw new Error("a member without a user");
  const member = { user_id: userId, role: role as OrganizationRole, created_at: createdAt };
  return standing === "member" ? member : { ...member, email: email ?? "", name: name ?? null };
}

function notAManager(): Fault {
  return new Fault("forbidden", { detail: "Only owners and admins of the organization change its members." });
}

function ownersAlone(): Fault {
  return new Fault("forbidden", { detail: "Only an owner changes the owners." });
}
