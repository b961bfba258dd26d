// One membership and its scope in the database. In: a transaction under way. Out: rows. It never decides who may, and
// leaves the audit log to its caller.
import type { Connection } from "../database/tables.ts";
import type { MemberRole, MemberScope } from "./api.ts";

interface Membership {
  readonly organizationId: string;
  readonly personId: string;
  readonly role: MemberRole;
  readonly scope: MemberScope;
}

/** @throws A foreign key violation where the scope names a project of another organization. */
export async function insertMembership(trx: Connection, membership: Membership): Promise<void> {
  const { organizationId, personId, role, scope } = membership;
  await trx
    .insertInto("memberships")
    .values({ organization_id: organizationId, person_id: personId, role, scope: scope.kind })
    .execute();
  await setProjects(trx, membership);
}

/** Replaces the named projects. @throws as above. */
export async function setProjects(trx: Connection, { organizationId, personId, scope }: Membership): Promise<void> {
  await trx
    .deleteFrom("membership_projects")
    .where("organization_id", "=", organizationId)
    .where("person_id", "=", personId)
    .execute();
  if (scope.kind === "organization" || scope.projectIds.length === 0) return;
  const rows = [...new Set(scope.projectIds)].map((project_id) => ({
    organization_id: organizationId,
    person_id: personId,
    project_id,
  }));
  await trx.insertInto("membership_projects").values(rows).execute();
}

/** The owners of the whole organization. Its row is locked: two owners who remove each other at once must not both succeed. */
export async function lockOwners(trx: Connection, organizationId: string): Promise<readonly string[]> {
  await trx.selectFrom("organizations").select("id").where("id", "=", organizationId).forUpdate().executeTakeFirst();
  const rows = await trx
    .selectFrom("memberships")
    .select("person_id")
    .where("organization_id", "=", organizationId)
    .where("role", "=", "owner")
    .where("scope", "=", "organization")
    .execute();
  return rows.map((row) => row.person_id);
}
