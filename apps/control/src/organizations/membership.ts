// One membership and its scope in the database. In: an open transaction. Out: rows, and the rights that they give. The caller
// writes the audit log.
import type { Connection } from "../database/tables.ts";
import type { MemberRole, MemberScope } from "./api.ts";
import { allows, isAbove } from "./rights.ts";

interface Membership {
  readonly organizationId: string;
  readonly personId: string;
  readonly role: MemberRole;
  readonly scope: MemberScope;
}

/** @throws A foreign key violation if the scope names a project of another organization. */
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

/**
 * Locks a person, so that they can't be deleted before the transaction ends; false if they are deleted already. Call it before
 * `lockOrganization`: a deletion takes the locks in this order, too.
 */
export async function holdPerson(trx: Connection, personId: string): Promise<boolean> {
  const person = await trx
    .selectFrom("people")
    .select("id")
    .where("id", "=", personId)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  return person !== undefined;
}

/** Two changes of one organization's members wait for each other: if two owners remove each other, only one can succeed. */
export async function lockOrganization(trx: Connection, organizationId: string): Promise<void> {
  await trx.selectFrom("organizations").select("id").where("id", "=", organizationId).forUpdate().executeTakeFirst();
}

export interface Standing {
  readonly role: MemberRole;
  readonly scope: MemberScope["kind"];
}

export async function standingOf(
  db: Connection,
  organizationId: string,
  personId: string,
): Promise<Standing | undefined> {
  return db
    .selectFrom("memberships")
    .select(["role", "scope"])
    .where("organization_id", "=", organizationId)
    .where("person_id", "=", personId)
    .executeTakeFirst();
}

/** Whether somebody can give this role, or change a member who has it. It can't be above their own role. */
export function mayName(by: Standing | undefined, role: MemberRole): boolean {
  return by !== undefined && by.scope === "organization" && allows(by.role, "manage") && !isAbove(role, by.role);
}

/** Whether nobody else is an owner of the whole organization. */
export async function isLastOwner(trx: Connection, organizationId: string, personId: string): Promise<boolean> {
  const owners = await trx
    .selectFrom("memberships")
    .select("person_id")
    .where("organization_id", "=", organizationId)
    .where("role", "=", "owner")
    .where("scope", "=", "organization")
    .execute();
  return owners.length === 1 && owners[0]?.person_id === personId;
}
