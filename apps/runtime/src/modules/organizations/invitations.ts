// Invitations to an organization: made, listed, revoked, accepted. In: a transaction and who acts. Out: an invitation, or a Fault.
// Nobody joins by an address: it never asks whether an account has the one that is invited. A token is stored as its SHA-256
// only, and an invitation counts for as long as whoever made it may still give that role.
import { createHash, randomBytes } from "node:crypto";
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";
import { expandRoles, USER_ROLES } from "../../identity/roles.ts";
import { INVITATIONS_TABLE } from "../../project/organization-tables.ts";
import type { UserPrincipal } from "../../project/principal.ts";
import type { TextRow } from "../../project/tenant.ts";
import { audit } from "./changes.ts";
import { setChoice } from "./chosen-organization.ts";
import { lockOrganization, type OrganizationRole, roleOf, type Standing, standingIn } from "./standing.ts";

export const INVITATION_DAYS = 7;
/** Open ones of one organization. */
export const INVITATIONS_MAX = 100;

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: OrganizationRole;
  readonly invited_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

const columns = `i.id::text, i.email, i.role, i.invited_by::text,
  to_char(i.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
  to_char(i.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** @returns the invitation with its token, which nothing shows again. */
export async function invite(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  invited: { readonly id: string; readonly email: string; readonly role: OrganizationRole },
): Promise<Invitation & { readonly token: string }> {
  const standing = await managerIn(open, context, organizationId);
  if (standing.self === null) {
    throw new Fault("forbidden", { detail: "Users invite. An admin key adds members: PUT .../members." });
  }
  requireMayGive(standing.role, invited.role);
  const table = tableOf(context);
  await open.query(`DELETE FROM ${table} WHERE organization_id = $1::uuid AND expires_at <= now()`, [organizationId]);
  const count = await open.query(`SELECT count(*)::text FROM ${table} WHERE organization_id = $1::uuid`, [
    organizationId,
  ]);
  if (Number(count.rows[0]?.[0]) >= INVITATIONS_MAX) {
    const detail = `An organization has at most ${INVITATIONS_MAX} open invitations: revoke some first.`;
    throw new Fault("conflict", { detail });
  }
  const token = `pli_${randomBytes(32).toString("base64url")}`;
  const { rows } = await open.query(
    `INSERT INTO ${table} AS i (id, organization_id, email, role, token_hash, invited_by, expires_at)
     VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6::uuid, now() + interval '${INVITATION_DAYS} days') RETURNING ${columns}`,
    [invited.id, organizationId, invited.email, invited.role, hashOf(token), standing.self],
  );
  await audit(open, context, {
    operation: "invite",
    entity: "organization",
    recordId: organizationId,
    changes: { invitation_id: invited.id, role: invited.role },
  });
  return { ...invitationOf(rows[0] ?? []), token };
}

/** The open ones, the oldest first. */
export async function listInvitations(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
): Promise<readonly Invitation[]> {
  await managerIn(open, context, organizationId);
  const { rows } = await open.query(
    `SELECT ${columns} FROM ${tableOf(context)} i WHERE i.organization_id = $1::uuid AND i.expires_at > now()
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
    `DELETE FROM ${tableOf(context)} WHERE id = $2::uuid AND organization_id = $1::uuid RETURNING role`,
    [organizationId, invitationId],
  );
  const role = rows[0]?.[0];
  if (role == null) throw new Fault("not_found");
  requireMayGive(standing.role, role as OrganizationRole);
  await auditRevoked(open, context, organizationId, [invitationId, role]);
}

function auditRevoked(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  [id, role]: TextRow,
): Promise<void> {
  return audit(open, context, {
    operation: "revoke_invitation",
    entity: "organization",
    recordId: organizationId,
    changes: { invitation_id: id, role },
  });
}

export interface Joined {
  readonly organization_id: string;
  readonly role: OrganizationRole;
  readonly chosen: boolean;
}

/**
 * Makes the signed-in user a member. The token is used up.
 * @throws Fault not_found (whatever is wrong with the token), conflict (who belongs there already).
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
  // As who changes its members or revokes does: all that is read from here on holds until the commit.
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
    throw new Fault("conflict", { detail: "You belong to this organization already." });
  }
  await open.query(
    `INSERT INTO ${schema}.memberships (organization_id, user_id, role) VALUES ($1::uuid, $2::uuid, $3)`,
    [organizationId, principal.userId, role],
  );
  await audit(open, context, {
    operation: "accept_invitation",
    entity: "organization",
    recordId: organizationId,
    changes: { invitation_id: invitationId, invited_by: invitedBy, user_id: principal.userId, role: [null, role] },
  });
  if (choose) await setChoice(open, context, principal.userId, organizationId);
  return { organization_id: organizationId, role, chosen: choose };
}

/** Takes back what somebody has offered and, with their new role (null: none), may no longer give. */
export async function withdrawInvitations(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  userId: string,
  role: OrganizationRole | null,
): Promise<void> {
  if (role === "owner") return;
  const { rows } = await open.query(
    `DELETE FROM ${tableOf(context)} WHERE organization_id = $1::uuid AND invited_by = $2::uuid AND ($3 OR role = 'owner')
     RETURNING id::text, role`,
    [organizationId, userId, role !== "admin"],
  );
  for (const row of rows) await auditRevoked(open, context, organizationId, row);
}

/** A member who is removed has no other offer left to come back by; a new one is somebody's decision. */
export async function withdrawOffers(
  open: TenantTransaction,
  context: ModuleContext,
  organizationId: string,
  userId: string,
): Promise<void> {
  const { rows } = await open.query(
    `DELETE FROM ${tableOf(context)} WHERE organization_id = $1::uuid
       AND email = (SELECT u.email FROM ${context.release.schema}.users u WHERE u.id = $2::uuid)
     RETURNING id::text, role`,
    [organizationId, userId],
  );
  for (const row of rows) await auditRevoked(open, context, organizationId, row);
}

async function managerIn(open: TenantTransaction, context: ModuleContext, organizationId: string): Promise<Standing> {
  const standing = await standingIn(open, context, organizationId);
  if (standing.role !== "member") return standing;
  throw new Fault("forbidden", { detail: "Only owners and admins of the organization invite." });
}

/** What the inviter is there now: of their membership, or as an admin of the project. */
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
  if (!mayGive(giver, role)) throw new Fault("forbidden", { detail: "Only an owner invites owners." });
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
      "This invitation is not valid: it is unknown, accepted, revoked or expired, or names another e-mail address.",
  });
}
