// Organizations and memberships in the database. In: ids. Out: rows for the API. It never checks rights; `access.ts` does.
import { newId } from "@plinth/bundle";
import { isForeignKeyViolation } from "@plinth/postgres";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import { revokeInvitations } from "../invitations/revoke.ts";
import type { Member, MemberRole, MemberScope, OrganizationSummary } from "./api.ts";
import { insertMembership, isLastOwner, lockOrganization, mayName, setProjects, standingOf } from "./membership.ts";
import { isAbove, rightsOf } from "./rights.ts";

export interface OrganizationStore {
  /** Creates an organization for a person who is a member of none. */
  ensurePersonal(personId: string): Promise<void>;
  ofPerson(personId: string): Promise<readonly OrganizationSummary[]>;
  /** Null if the person already owns as many as allowed. `gone`: the account was deleted meanwhile. */
  create(
    organization: { readonly name: string; readonly createdBy: string },
    ownedMax: number,
  ): Promise<{ readonly id: string } | "gone" | null>;
  rename(organizationId: string, name: string, by: string): Promise<void>;
  /** `not_empty`: it has projects, including deleted ones that can still be restored. */
  remove(organizationId: string, by: string): Promise<"removed" | "not_empty">;
  members(organizationId: string): Promise<readonly Member[]>;
  /** `no_project`: the scope names a project of another organization. `above`: the old or the new role is above the caller's. */
  changeMember(change: MemberChange): Promise<"changed" | "no_member" | "no_project" | "last_owner" | "above">;
  /** Members can remove themselves, that is, leave. `above`: the member's role is above the caller's. */
  removeMember(change: MemberAct): Promise<"removed" | "no_member" | "last_owner" | "above">;
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
          .where("deleted_at", "is", null)
          .forShare()
          .executeTakeFirst();
        if (person === undefined) return;
        const member = await trx
          .selectFrom("memberships")
          .select("person_id")
          .where("person_id", "=", personId)
          .executeTakeFirst();
        if (member !== undefined) return;
        const made = await trx
          .insertInto("organizations")
          .values({ id: newId("org"), name: firstName(person.name), personal_of: personId })
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

    ofPerson: async (personId) => {
      const rows = await db
        .selectFrom("memberships")
        .innerJoin("organizations", "organizations.id", "memberships.organization_id")
        .select(["organizations.id", "organizations.name", "memberships.role", "memberships.scope"])
        .where("memberships.person_id", "=", personId)
        .orderBy("memberships.created_at")
        .orderBy("organizations.id")
        .execute();
      const inNoOrganization = { write: false, manage: false, own: false };
      return rows.map((row) => ({
        ...row,
        may: row.scope === "organization" ? rightsOf(row.role) : inNoOrganization,
      }));
    },

    create: ({ name, createdBy: personId }, ownedMax) =>
      db.transaction().execute(async (trx) => {
        // Two requests at the same time must not both create the last allowed one.
        const person = await trx
          .selectFrom("people")
          .select("id")
          .where("id", "=", personId)
          .where("deleted_at", "is", null)
          .forNoKeyUpdate()
          .executeTakeFirst();
        if (person === undefined) return "gone";
        const { count } = await trx
          .selectFrom("memberships")
          .select((eb) => eb.fn.countAll<string>().as("count"))
          .where("person_id", "=", personId)
          .where("role", "=", "owner")
          .executeTakeFirstOrThrow();
        if (Number(count) >= ownedMax) return null;
        const id = newId("org");
        await trx.insertInto("organizations").values({ id, name, personal_of: null }).execute();
        await insertMembership(trx, { organizationId: id, personId, role: "owner", scope: { kind: "organization" } });
        await writeAudit(trx, {
          personId,
          action: "organization.created",
          organizationId: id,
          subject: id,
          detail: { name },
        });
        return { id };
      }),

    rename: (organizationId, name, personId) =>
      db.transaction().execute(async (trx) => {
        await lockOrganization(trx, organizationId);
        await trx.updateTable("organizations").set({ name }).where("id", "=", organizationId).execute();
        const act = { personId, action: "organization.renamed", organizationId, subject: organizationId };
        await writeAudit(trx, { ...act, detail: { name } });
      }),

    remove: async (organizationId, personId) => {
      try {
        return await db.transaction().execute(async (trx) => {
          await trx.deleteFrom("organizations").where("id", "=", organizationId).execute();
          const act = { personId, action: "organization.deleted", organizationId, subject: organizationId };
          await writeAudit(trx, act);
          return "removed" as const;
        });
      } catch (error) {
        // The foreign key of its projects also refuses this if a project is created at the same moment.
        if (isForeignKeyViolation(error)) return "not_empty";
        throw error;
      }
    },

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
      const { organizationId, personId, changedBy, role, scope } = change;
      try {
        return await db.transaction().execute(async (trx) => {
          await lockOrganization(trx, organizationId);
          const [by, before] = [
            await standingOf(trx, organizationId, changedBy),
            await standingOf(trx, organizationId, personId),
          ];
          if (before === undefined) return "no_member";
          if (!mayName(by, before.role) || !mayName(by, role)) return "above";
          const staysOwner = role === "owner" && scope.kind === "organization";
          if (!staysOwner && (await isLastOwner(trx, organizationId, personId))) return "last_owner";
          await trx
            .updateTable("memberships")
            .set({ role, scope: scope.kind })
            .where("organization_id", "=", organizationId)
            .where("person_id", "=", personId)
            .execute();
          await setProjects(trx, change);
          // A link must not give rights that its inviter has lost.
          if (isAbove(before.role, role) || scope.kind === "projects")
            await revokeInvitations(trx, organizationId, { inviter: personId });
          await auditMember(trx, "member.changed", change, { role, scope });
          return "changed";
        });
      } catch (error) {
        if (isForeignKeyViolation(error)) return "no_project";
        throw error;
      }
    },

    removeMember: (change) =>
      db.transaction().execute(async (trx) => {
        const { organizationId, personId, changedBy } = change;
        await lockOrganization(trx, organizationId);
        const before = await standingOf(trx, organizationId, personId);
        if (before === undefined) return "no_member";
        // Everybody can leave.
        const leaves = personId === changedBy;
        if (!leaves && !mayName(await standingOf(trx, organizationId, changedBy), before.role)) return "above";
        if (await isLastOwner(trx, organizationId, personId)) return "last_owner";
        await trx
          .deleteFrom("memberships")
          .where("organization_id", "=", organizationId)
          .where("person_id", "=", personId)
          .execute();
        // A person without any organization gets a new one at the next sign-in.
        await trx
          .updateTable("organizations")
          .set({ personal_of: null })
          .where("id", "=", organizationId)
          .where("personal_of", "=", personId)
          .execute();
        // Nobody can come back through a link that was created before they left.
        await revokeInvitations(trx, organizationId, { inviter: personId });
        await revokeInvitations(trx, organizationId, { invited: personId });
        await auditMember(trx, leaves ? "member.left" : "member.removed", change, {});
        return "removed";
      }),
  };
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

/** The name of the organization that a person begins with. Names of people and of organizations must not look the same. */
function firstName(person: string): string {
  return person === "" ? "Personal" : `${person}'s organization`;
}
