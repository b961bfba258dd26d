// A caller's role in an organization. In: a transaction, the organization, the caller. Out: their role there, or
// `not_found`. Strangers never learn that an organization exists.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";

export const organizationRoles = ["owner", "admin", "member"] as const;
export type OrganizationRole = (typeof organizationRoles)[number];

export interface Standing {
  /** The caller's role in this organization; an admin of the project counts as an owner. */
  readonly role: OrganizationRole;
  readonly self: string | null;
}

/**
 * Locks the organization's row until the end, so that decisions about its last owner and about invitations can't
 * overlap.
 */
export async function standingIn(
  open: TenantTransaction,
  { principal, release }: ModuleContext,
  organizationId: string,
): Promise<Standing> {
  if (!(await lockOrganization(open, release.schema, organizationId))) throw new Fault("not_found");
  const self = principal.kind === "user" ? principal.userId : null;
  if (principal.roles.includes("admin")) return { role: "owner", self };
  const role = self === null ? null : await roleOf(open, release.schema, organizationId, self);
  if (role === null) throw new Fault("not_found");
  return { role, self };
}

/** False if the organization does not exist. */
export async function lockOrganization(
  open: TenantTransaction,
  schema: string,
  organizationId: string,
): Promise<boolean> {
  const { rows } = await open.query(`SELECT 1 FROM ${schema}.organizations WHERE id = $1::uuid FOR NO KEY UPDATE`, [
    organizationId,
  ]);
  return rows.length > 0;
}

export async function roleOf(
  open: TenantTransaction,
  schema: string,
  organizationId: string,
  userId: string,
): Promise<OrganizationRole | null> {
  const { rows } = await open.query(
    `SELECT role FROM ${schema}.memberships WHERE organization_id = $1::uuid AND user_id = $2::uuid`,
    [organizationId, userId],
  );
  return (rows[0]?.[0] ?? null) as OrganizationRole | null;
}
