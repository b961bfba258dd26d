// Organizations and memberships in the database. In: ids. Out: rows as the API shows them.
// It never decides who may; see `access.ts`.
import { newId } from "@plinth/bundle";
import { isForeignKeyViolation } from "@plinth/postgres";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import { revokeInvitations } from "../invitations/revoke.ts";
import type { Member, MemberRole, MemberScope, OrganizationSummary } from "./api.ts";
import { insertMembership, lockOwners, setProjects } from "./membership.ts";

export interface OrganizationStore {
  /** Makes the person's own organization where it doesn't exist. */
  ensurePersonal(personId: string): Promise<void>;
  ofPerson(personId: string): Promise<readonly OrganizationSummary[]>;
  members(organizationId: string): Promise<readonly Member[]>;
  /** `no_project`: the scope names one that isn't the organization's. */
  changeMember(change: MemberChange): Promise<"changed" | "no_member" | "no_project" | "last_owner">;
  removeMember(change: MemberAct): Promise<"removed" | "no_member" | "last_owner">;
}

interface MemberAct {
  readonly organizationId: string;
  readonly personId: string;
  readonly changedBy: string;
}

interface MemberChange extends MemberAct {
  readonly role: MemberRole;
  readonly scope: MemberScope;
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
        await insertMembership(trx, {
          organizationId: made.id,
          personId,
          role: "owner",
          scope: { kind: "organization" },
        });
        await writeAudit(trx, { personId, action: "organization.created", organizationId: made.id, subject: made.id });
      }),

    ofPerson: (personId) =>
      db
        .selectFrom("memberships")
        .innerJoin("organizations", "organizations.id", "memberships.organization_id")
        .select(["organizations.id", "organizations.name", "memberships.role", "memberships.scope"])
        .where("memberships.person_id", "=", personId)
        .orderBy("memberships.created_at")
        .orderBy("organizations.id")
        .execute(),

    members: async (organizationId) => {
      const rows = await db
        .selectFrom("memberships")
        .innerJoin("people", "people.id", "memberships.person_id")
        .select(["people.id", "people.name", "people.email", "memberships.role", "memberships.scope"])
        .select("memberships.created_at")
        .where("memberships.organization_id", "=", organizationId)
        .orderBy("memberships.created_at")
        .orderBy("people.id")
        .execute();
      const named = await db
        .selectFrom("membership_projects")
        .select(["person_id", "project_id"])
        .where("organization_id", "=", organizationId)
        .orderBy("project_id")
        .execute();
      const projectsOf = Map.groupBy(named, ({ person_id }) => person_id);
      return rows.map(({ id, created_at, scope, ...rest }) => {
        const projectIds = (projectsOf.get(id) ?? []).map(({ project_id }) => project_id);
        const opens: MemberScope = scope === "organization" ? { kind: scope } : { kind: scope, projectIds };
        return { personId: id, ...rest, scope: opens, since: created_at.toISOString() };
      });
    },

    changeMember: async (change) => {
      try {
        return await db.transaction().execute(async (trx) => {
          const owners = await lockOwners(trx, change.organizationId);
          const staysOwner = change.role === "owner" && change.scope.kind === "organization";
          if (!staysOwner && isOnly(owners, change.personId)) return "last_owner";
          const changed = await trx
            .updateTable("memberships")
            .set({ role: change.role, scope: change.scope.kind })
            .where("organization_id", "=", change.organizationId)
            .where("person_id", "=", change.personId)
            .executeTakeFirst();
          if (changed.numUpdatedRows === 0n) return "no_member";
          await setProjects(trx, change);
          if (!staysOwner) await revokeInvitations(trx, change.organizationId, { madeBy: change.personId });
          await auditMember(trx, "member.changed", change, { role: change.role, scope: change.scope });
          return "changed";
        });
      } catch (error) {
        if (isForeignKeyViolation(error)) return "no_project";
        throw error;
      }
    },

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
        // Nobody comes back through a link that was made before they were removed.
        const { organizationId, personId } = change;
        await revokeInvitations(trx, organizationId, { madeBy: personId });
        await revokeInvitations(trx, organizationId, { meantFor: personId });
        await auditMember(trx, "member.removed", change, {});
        return "removed";
      }),
  };
}

function isOnly(owners: readonly string[], personId: string): boolean {
  return owners.length === 1 && owners[0] === personId;
}

function auditMember(
  trx: Connection,
  action: string,
  change: MemberAct,
  detail: Record<string, unknown>,
): Promise<void> {
  const { organizationId, personId, changedBy } = change;
  return writeAudit(trx, { personId: changedBy, action, organizationId, subject: personId, detail });
}
