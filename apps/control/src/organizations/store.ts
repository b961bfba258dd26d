// Organizations and memberships in the database. In: ids. Out: rows as the API shows them.
// It never decides who may; see `access.ts`.
import { newId } from "@plinth/bundle";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import type { Member, MemberRole, OrganizationSummary } from "./api.ts";

export interface OrganizationStore {
  /** Makes the person's own organization where it doesn't exist. */
  ensurePersonal(personId: string): Promise<void>;
  ofPerson(personId: string): Promise<readonly OrganizationSummary[]>;
  members(organizationId: string): Promise<readonly Member[]>;
  personIdByEmail(email: string): Promise<string | null>;
  /** Returns false where it would leave the organization without an owner. */
  setMember(change: MemberChange): Promise<boolean>;
  /** `role: null` removes; the same rule. */
  removeMember(change: Omit<MemberChange, "role">): Promise<"removed" | "no_member" | "last_owner">;
}

interface MemberChange {
  readonly organizationId: string;
  readonly personId: string;
  readonly role: MemberRole;
  readonly changedBy: string;
}

export function createOrganizationStore(db: ControlDatabase): OrganizationStore {
  return {
    ensurePersonal: (personId) =>
      db.transaction().execute(async (trx) => {
        const person = await trx
          .selectFrom("people")
          .select("name")
          .where("id", "=", personId)
          .executeTakeFirstOrThrow();
        const made = await trx
          .insertInto("organizations")
          .values({ id: newId("org"), name: person.name || "Personal", personal_of: personId })
          .onConflict((conflict) => conflict.column("personal_of").doNothing())
          .returning("id")
          .executeTakeFirst();
        if (made === undefined) return;
        const membership = { organization_id: made.id, person_id: personId, role: "owner" as const };
        await trx.insertInto("memberships").values(membership).execute();
        await writeAudit(trx, { personId, action: "organization.created", organizationId: made.id, subject: made.id });
      }),

    ofPerson: (personId) =>
      db
        .selectFrom("memberships")
        .innerJoin("organizations", "organizations.id", "memberships.organization_id")
        .select(["organizations.id", "organizations.name", "memberships.role"])
        .where("memberships.person_id", "=", personId)
        .orderBy("memberships.created_at")
        .orderBy("organizations.id")
        .execute(),

    members: async (organizationId) => {
      const rows = await db
        .selectFrom("memberships")
        .innerJoin("people", "people.id", "memberships.person_id")
        .select(["people.id", "people.name", "people.email", "memberships.role", "memberships.created_at"])
        .where("memberships.organization_id", "=", organizationId)
        .orderBy("memberships.created_at")
        .orderBy("people.id")
        .execute();
      return rows.map(({ id, created_at, ...rest }) => ({ personId: id, ...rest, since: created_at.toISOString() }));
    },

    personIdByEmail: async (email) => {
      const row = await db
        .selectFrom("people")
        .select("id")
        .where("email", "=", email.toLowerCase())
        .executeTakeFirst();
      return row?.id ?? null;
    },

    setMember: (change) =>
      db.transaction().execute(async (trx) => {
        const owners = await lockOwners(trx, change.organizationId);
        if (change.role !== "owner" && isOnly(owners, change.personId)) return false;
        await trx
          .insertInto("memberships")
          .values({ organization_id: change.organizationId, person_id: change.personId, role: change.role })
          .onConflict((conflict) =>
            conflict.columns(["organization_id", "person_id"]).doUpdateSet({ role: change.role }),
          )
          .execute();
        await auditMember(trx, "member.set", change, { role: change.role });
        return true;
      }),

    removeMember: (change) =>
      db.transaction().execute(async (trx) => {
        const owners = await lockOwners(trx, change.organizationId);
        if (isOnly(owners, change.personId)) return "last_owner";
        const removed = await trx
          .deleteFrom("memberships")
          .where("organization_id", "=", change.organizationId)
          .where("person_id", "=", change.personId)
          .executeTakeFirst();
        if (removed.numDeletedRows === 0n) return "no_member";
        await auditMember(trx, "member.removed", change, {});
        return "removed";
      }),
  };
}

/** The organization's row is locked: two owners who remove each other at once must not both succeed. */
async function lockOwners(trx: Connection, organizationId: string): Promise<readonly string[]> {
  await trx.selectFrom("organizations").select("id").where("id", "=", organizationId).forUpdate().executeTakeFirst();
  const rows = await trx
    .selectFrom("memberships")
    .select("person_id")
    .where("organization_id", "=", organizationId)
    .where("role", "=", "owner")
    .execute();
  return rows.map((row) => row.person_id);
}

function isOnly(owners: readonly string[], personId: string): boolean {
  return owners.length === 1 && owners[0] === personId;
}

function auditMember(
  trx: Connection,
  action: string,
  change: Omit<MemberChange, "role">,
  detail: Record<string, unknown>,
): Promise<void> {
  const { organizationId, personId, changedBy } = change;
  return writeAudit(trx, { personId: changedBy, action, organizationId, subject: personId, detail });
}
