// The members of an organization. In: a transaction, the organization, and the caller. Out: members, or a Fault. An
// organization with an owner always keeps one. Strangers never learn that an organization exists.
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
  /** The user's address; only for callers who manage the members. */
  readonly email?: string;
  readonly name?: string | null;
}

/** The user that a request names: an id or an e-mail address. */
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
 * Changes a member's role. Callers who aren't bound to organizations (an admin key: the app's own back end) can also
 * add members, because they could write the rows of any organization anyway. Users only join by invitation.
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

/** Removes a member. Members can always remove themselves. */
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
  // FOR KEY SHARE, like the foreign key, so that the user still exists when the row is written.
  const { rows } = await open.query(`SELECT id::text FROM ${schema}.users WHERE ${condition} FOR KEY SHARE`, [value]);
  const id = rows[0]?.[0] ?? null;
  if (id !== null) return id;
  throw new Fault("validation_failed", {
    errors: [{ path, code: "unknown_reference", message: "This user does not exist." }],
  });
}

/** Only searches the members, so that the caller doesn't learn whether anybody else has an account. */
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
    detail: "This user is not a member of the organization. Invite them: POST .../invitations.",
  });
}

async function requireAnotherOwner(open: TenantTransaction, schema: string, organizationId: string): Promise<void> {
  const { rows } = await open.query(
    `SELECT count(*)::text FROM ${schema}.memberships WHERE organization_id = $1::uuid AND role = 'owner'`,
    [organizationId],
  );
  if (Number(rows[0]?.[0]) > 1) return;
  throw new Fault("conflict", { detail: "An organization must have an owner. Make another member an owner first." });
}

interface WrittenMember {
  readonly userId: string;
  /** Before and after; null if the user was no member before, or is none now. */
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

/** The change of a membership as an event. */
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
  return new Fault("forbidden", { detail: "Only owners and admins of the organization can change its members." });
}

function ownersAlone(): Fault {
  return new Fault("forbidden", { detail: "Only an owner can change the owners." });
}
