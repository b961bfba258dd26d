// Invitations to an organization: created, listed, revoked, accepted. In: a transaction and the caller. Out: an
// invitation, or a Fault. An address alone never makes anybody a member: it isn't checked whether the invited address
// has an account. Only the SHA-256 of a token is stored. An invitation is valid as long as its creator may still give
// that role.
import { createHash } from "node:crypto";
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";
import { expandRoles, USER_ROLES } from "../../identity/roles.ts";
import { INVITATIONS_TABLE } from "../../project/organization-tables.ts";
import type { UserPrincipal } from "../../project/principal.ts";
import type { TextRow } from "../../project/tenant.ts";
import { writeWithin } from "./changes.ts";
import { setChoice } from "./chosen-organization.ts";
import { memberEvent } from "./members.ts";
import { lockOrganization, type OrganizationRole, roleOf, type Standing, standingIn } from "./standing.ts";

export const INVITATION_DAYS = 7;
/** Open invitations of one organization. */
export const INVITATIONS_MAX = 100;

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrganizationRole;
  readonly invited_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

const columnsOf = (row: string): string =>
  `${row}.id::text, ${row}.email, ${row}.role, ${row}.invited_by::text,
  to_char(${row}.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  to_char(${row}.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The data in events about an invitation. Its token is only in the reply to its creator. */
const invitationData = {
  sql: `jsonb_build_object('invitation_id', _w.id, 'email', _w.email, 'role', _w.role)`,
};

/** @param invited With a new token. @returns the invitation with its token, which nothing shows again. */
export async function invite(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  invited: { readonly id: string; readonly email: string; readonly role: OrganizationRole; readonly token: string },
): Promise<Invitation & { readonly token: string }> {
  const standing = await managerIn(open, context, organizationId);
  if (standing.self === null) {
    throw new Fault("forbidden", { detail: "Only users can invite. With an admin key, add members: PUT .../members." });
  }
  requireMayGive(standing.role, invited.role);
  const table = tableOf(context);
  await open.query(`DELETE FROM ${table} WHERE organization_id = $1::uuid AND expires_at <= now()`, [organizationId]);
  const count = await open.query(`SELECT count(*)::text FROM ${table} WHERE organization_id = $1::uuid`, [
    organizationId,
  ]);
  if (Number(count.rows[0]?.[0]) >= INVITATIONS_MAX) {
    const detail = `An organization has at most ${INVITATIONS_MAX} open invitations. Revoke some first.`;
    throw new Fault("conflict", { detail });
  }
  const rows = await writeWithin(open, context, organizationId, {
    operation: "invite",
    mutation: `INSERT INTO ${table} (id, organization_id, email, role, token_hash, invited_by, expires_at)
      VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::uuid, now() + interval '${INVITATION_DAYS} days') RETURNING *`,
    values: [invited.id, organizationId, invited.email, invited.role, hashOf(invited.token), standing.self],
    changes: { invitation_id: invited.id, role: invited.role },
    events: [{ name: "organization.invitation_created", data: invitationData }],
    returning: columnsOf("_w"),
  });
  return { ...invitationOf(rows[0] ?? []), token: invited.token };
}

/** The open ones, the oldest first. */
export async function listInvitations(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
): Promise<readonly Invitation[]> {
  await managerIn(open, context, organizationId);
  const { rows } = await open.query(
    `SELECT ${columnsOf("i")} FROM ${tableOf(context)} i WHERE i.organization_id = $1::uuid AND i.expires_at > now()
     ORDER BY i.created_at, i.id LIMIT ${INVITATIONS_MAX}`,
    [organizationId],
  );
  return rows.map(invitationOf);
}

export async function revokeInvitation(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  invitationId: string,
): Promise<void> {
  const standing = await managerIn(open, context, organizationId);
  const { rows } = await open.query(
    `SELECT role FROM ${tableOf(context)} WHERE id = $2::uuid AND organization_id = $1::uuid`,
    [organizationId, invitationId],
  );
  const role = rows[0]?.[0];
  if (role == null) throw new Fault("not_found");
  requireMayGive(standing.role, role as OrganizationRole);
  await takeBack(open, context, organizationId, { where: "id = $2::uuid", values: [invitationId] });
}

/** Revokes those of the organization that match; `$1` is the organization. */
async function takeBack(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  { where, values }: { readonly where: string; readonly values: readonly string[] },
): Promise<void> {
  await writeWithin(open, context, organizationId, {
    operation: "revoke_invitation",
    mutation: `DELETE FROM ${tableOf(context)} WHERE organization_id = $1::uuid AND ${where} RETURNING *`,
    values: [organizationId, ...values],
    changes: { sql: `jsonb_build_object('invitation_id', _w.id, 'role', _w.role)` },
    events: [{ name: "organization.invitation_revoked", data: invitationData }],
    returning: "true::text",
  });
}

export interface Joined {
  readonly organization_id: string;
  readonly role: OrganizationRole;
  readonly chosen: boolean;
}

/**
 * Makes the signed-in user a member. The token is used up. @throws Fault not_found (whatever is wrong with the token),
 * conflict (already a member).
 */
export async function joinByInvitation(
  open: TenantTransaction,
  context: ModuleContext,
  principal: UserPrincipal,
  { token, choose }: { readonly token: string; readonly choose: boolean },
): Promise<Joined> {
  const { schema } = context.release;
  const hash = hashOf(token);
  const named = await open.query(`SELECT organization_id::text FROM ${tableOf(context)} WHERE token_hash = $1`, [hash]);
  const organizationId = named.rows[0]?.[0];
  if (organizationId == null) throw notValid();
  // The same lock as for changes of members and revocations, so that everything read from here on holds until the
  // commit.
  if (!(await lockOrganization(open, schema, organizationId))) throw notValid();
  const { rows } = await open.query(
    `DELETE FROM ${tableOf(context)} WHERE token_hash = $1 AND email = $2 AND expires_at > now()
     RETURNING id::text, role, invited_by::text`,
    [hash, principal.email],
  );
  const [invitationId, invitedRole, invitedBy] = rows[0] ?? [];
  if (invitationId == null || invitedBy == null) throw notValid();
  const role = invitedRole as OrganizationRole;
  if (!mayGive(await giverRole(open, context, organizationId, invitedBy), role)) throw notValid();
  if ((await roleOf(open, schema, organizationId, principal.userId)) !== null) {
    throw new Fault("conflict", { detail: "You are already a member of this organization." });
  }
  const { userId, email } = principal;
  await writeWithin(open, context, organizationId, {
    operation: "accept_invitation",
    mutation: `INSERT INTO ${schema}.memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, $3) RETURNING *`,
    values: [organizationId, userId, role],
    changes: { invitation_id: invitationId, invited_by: invitedBy, user_id: userId, role: [null, role] },
    events: [
      {
        name: "organization.invitation_accepted",
        data: { invitation_id: invitationId, email, role, user_id: userId },
      },
      memberEvent(userId, [null, role]),
    ],
    returning: "true::text",
  });
  if (choose) await setChoice(open, context, principal.userId, organizationId);
  return { organization_id: organizationId, role, chosen: choose };
}

/** Revokes the invitations that somebody created and, with their new role (null: none), may no longer create. */
export async function withdrawInvitations(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  userId: string,
  role: OrganizationRole | null,
): Promise<void> {
  if (role === "owner") return;
  const lost = role === "admin" ? " AND role = 'owner'" : "";
  await takeBack(open, context, organizationId, { where: `invited_by = $2::uuid${lost}`, values: [userId] });
}

/** Revokes all other invitations of a removed member, so that only a new invitation lets them return. */
export async function withdrawOffers(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  userId: string,
): Promise<void> {
  const where = `email = (SELECT u.email FROM ${context.release.schema}.users u WHERE u.id = $2::uuid)`;
  await takeBack(open, context, organizationId, { where, values: [userId] });
}

async function managerIn(open: TenantTransaction, context: ModuleContext, organizationId: string): Promise<Standing> {
  const standing = await standingIn(open, context, organizationId);
  if (standing.role !== "member") return standing;
  throw new Fault("forbidden", { detail: "Only owners and admins of the organization can invite." });
}

/** The inviter's current role in the organization: by their membership, or as an admin of the project. */
async function giverRole(
  open: TenantTransaction,
  { release }: ModuleContext,
  organizationId: string,
  userId: string,
): Promise<OrganizationRole | null> {
  const { rows } = await open.query(
    `SELECT array_to_json(u.roles)::text FROM ${release.schema}.users u WHERE u.id = $1::uuid`,
    [userId],
  );
  const given = JSON.parse(rows[0]?.[0] ?? "[]") as readonly string[];
  if (expandRoles(release, [...USER_ROLES, ...given]).includes("admin")) return "owner";
  return roleOf(open, release.schema, organizationId, userId);
}

function mayGive(giver: OrganizationRole | null, role: OrganizationRole): boolean {
  return giver === "owner" || (giver === "admin" && role !== "owner");
}

function requireMayGive(giver: OrganizationRole, role: OrganizationRole): void {
  if (!mayGive(giver, role)) throw new Fault("forbidden", { detail: "Only an owner can invite owners." });
}

function invitationOf(row: TextRow): Invitation {
  const [id, email, role, invitedBy, createdAt, expiresAt] = row as readonly string[];
  return {
    id: id ?? "",
    email: email ?? "",
    role: role as OrganizationRole,
    invited_by: invitedBy ?? "",
    created_at: createdAt ?? "",
    expires_at: expiresAt ?? "",
  };
}

function tableOf({ release }: ModuleContext): string {
  return `${release.schema}.${INVITATIONS_TABLE}`;
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function notValid(): Fault {
  return new Fault("not_found", {
    detail:
      "This invitation is not valid. It is unknown, accepted, revoked or expired, or it is for another e-mail address.",
  });
}
