// Invitations in the database. In: ids and the hash of a token. Out: rows for the API. It never sees a token.
import { newId } from "@plinth/bundle";
import { isForeignKeyViolation } from "@plinth/postgres";
import { type ExpressionBuilder, sql } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase, Database } from "../database/tables.ts";
import type { MemberRole, MemberScope } from "../organizations/api.ts";
import { holdPerson, insertMembership, lockOrganization, mayName, standingOf } from "../organizations/membership.ts";
import type { Invitation, OpenInvitation } from "./api.ts";
import { revokeInvitations } from "./revoke.ts";

interface NewInvitation {
  readonly organizationId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly scope: MemberScope;
  readonly invitedBy: string;
  readonly tokenHash: string;
  readonly expiresAt: Date;
}

export interface InvitationStore {
  /** Those that were neither accepted nor revoked. Some of them have expired. */
  list(organizationId: string): Promise<readonly Invitation[]>;
  /** `above`: the inviter can't give this role, or not any more. */
  create(invitation: NewInvitation): Promise<Invitation | "no_project" | "above" | "is_member">;
  /** Returns false if it isn't open. */
  revoke(act: { organizationId: string; invitationId: string; by: string }): Promise<boolean>;
  /** Returns null if it isn't open. */
  open(tokenHash: string, personId: string): Promise<OpenInvitation | null>;
  organizationName(organizationId: string): Promise<string>;
  /** From now on, its use proves the invited address. */
  markMailed(invitationId: string): Promise<void>;
  /**
   * Returns null if it isn't open. If the person is already a member or has another address, it stays open. A mailed invitation proves
   * the address of the account.
   */
  accept(
    tokenHash: string,
    personId: string,
  ): Promise<{ organizationId: string } | "is_member" | "other_address" | null>;
}

export function createInvitationStore(db: ControlDatabase): InvitationStore {
  return {
    list: (organizationId) => readInvitations(db, organizationId),
    create: async (invitation) => {
      try {
        return await db.transaction().execute((trx) => insertInvitation(trx, invitation));
      } catch (error) {
        if (isForeignKeyViolation(error)) return "no_project";
        throw error;
      }
    },
    revoke: ({ organizationId, invitationId, by }) =>
      db.transaction().execute(async (trx) => {
        if ((await revokeInvitations(trx, organizationId, { invitationId })) === 0) return false;
        const act = { personId: by, action: "invitation.revoked", organizationId, subject: invitationId };
        await writeAudit(trx, act);
        return true;
      }),
    organizationName: async (organizationId) => {
      const organizations = db.selectFrom("organizations").select("name").where("id", "=", organizationId);
      return (await organizations.executeTakeFirstOrThrow()).name;
    },
    markMailed: async (invitationId) => {
      await db.updateTable("invitations").set({ mailed_at: sql`now()` }).where("id", "=", invitationId).execute();
    },
    open: (tokenHash, personId) => openInvitation(db, tokenHash, personId),
    accept: (tokenHash, personId) => db.transaction().execute((trx) => acceptInvitation(trx, tokenHash, personId)),
  };
}

async function readInvitations(db: Connection, organizationId: string): Promise<readonly Invitation[]> {
  const rows = await db
    .selectFrom("invitations")
    .innerJoin("people", "people.id", "invitations.invited_by")
    .select(["invitations.id", "invitations.email", "invitations.role", "invitations.scope"])
    .select(["invitations.created_at", "invitations.expires_at"])
    .select(["people.name as inviter_name", "people.email as inviter_email"])
    .where("invitations.organization_id", "=", organizationId)
    .where("invitations.accepted_at", "is", null)
    .where("invitations.revoked_at", "is", null)
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id")
    .execute();
  const named = await db
    .selectFrom("invitation_projects")
    .select(["invitation_id", "project_id"])
    .where("organization_id", "=", organizationId)
    .orderBy("project_id")
    .execute();
  const projectsOf = Map.groupBy(named, ({ invitation_id }) => invitation_id);
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    role: row.role,
    scope: scopeOf(
      row.scope,
      (projectsOf.get(row.id) ?? []).map(({ project_id }) => project_id),
    ),
    invitedBy: { name: row.inviter_name, email: row.inviter_email },
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  }));
}

async function insertInvitation(
  trx: Connection,
  invitation: NewInvitation,
): Promise<Invitation | "above" | "is_member"> {
  const { organizationId, email, role, scope, invitedBy } = invitation;
  await lockOrganization(trx, organizationId);
  if (!mayName(await standingOf(trx, organizationId, invitedBy), role)) return "above";
  const member = await trx
    .selectFrom("memberships")
    .innerJoin("people", "people.id", "memberships.person_id")
    .select("people.id")
    .where("memberships.organization_id", "=", organizationId)
    .where("people.email", "=", email)
    .executeTakeFirst();
  if (member !== undefined) return "is_member";
  await revokeInvitations(trx, organizationId, { email });
  const id = newId("inv");
  await trx
    .insertInto("invitations")
    .values({
      id,
      organization_id: organizationId,
      email,
      role,
      scope: scope.kind,
      token_hash: invitation.tokenHash,
      invited_by: invitedBy,
      expires_at: invitation.expiresAt,
      accepted_at: null,
      accepted_by: null,
      revoked_at: null,
    })
    .execute();
  if (scope.kind === "projects") {
    const projects = [...new Set(scope.projectIds)].map((project_id) => ({
      invitation_id: id,
      organization_id: organizationId,
      project_id,
    }));
    await trx.insertInto("invitation_projects").values(projects).execute();
  }
  const act = { personId: invitedBy, action: "invitation.created", organizationId, subject: id };
  await writeAudit(trx, { ...act, detail: { email, role, scope } });
  const made = (await readInvitations(trx, organizationId)).find((candidate) => candidate.id === id);
  if (made === undefined) throw new Error(`the invitation ${id} is missing right after it was created`);
  return made;
}

async function openInvitation(db: Connection, tokenHash: string, personId: string): Promise<OpenInvitation | null> {
  const row = await db
    .selectFrom("invitations")
    .innerJoin("organizations", "organizations.id", "invitations.organization_id")
    .innerJoin("people", "people.id", "invitations.invited_by")
    .leftJoin("memberships", (join) =>
      join
        .onRef("memberships.organization_id", "=", "invitations.organization_id")
        .on("memberships.person_id", "=", personId),
    )
    .select(["invitations.id", "invitations.email", "invitations.role", "invitations.scope", "invitations.expires_at"])
    .select(["organizations.id as organization_id", "organizations.name as organization_name"])
    .select(["people.name as inviter_name", "people.email as inviter_email", "memberships.person_id as member_id"])
    .select((eb) => isFor(eb, personId).as("is_for_caller"))
    .where("invitations.token_hash", "=", tokenHash)
    .where(isOpen)
    .executeTakeFirst();
  if (row === undefined) return null;
  const projects = await db
    .selectFrom("invitation_projects")
    .innerJoin("projects", "projects.id", "invitation_projects.project_id")
    .select(["projects.id", "projects.slug"])
    .where("invitation_projects.invitation_id", "=", row.id)
    .orderBy("projects.slug")
    .execute();
  return {
    organization: { id: row.organization_id, name: row.organization_name },
    invitedBy: { name: row.inviter_name, email: row.inviter_email },
    email: row.email,
    role: row.role,
    scope: row.scope === "organization" ? { kind: row.scope } : { kind: row.scope, projects },
    expiresAt: row.expires_at.toISOString(),
    isMember: row.member_id !== null,
    isForCaller: Boolean(row.is_for_caller),
  };
}

async function acceptInvitation(
  trx: Connection,
  tokenHash: string,
  personId: string,
): Promise<{ organizationId: string } | "is_member" | "other_address" | null> {
  const found = await trx
    .selectFrom("invitations")
    .select(["id", "organization_id"])
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  if (found === undefined) return null;
  const organizationId = found.organization_id;
  if (!(await holdPerson(trx, personId))) return null;
  // Locks the organization first, as everywhere: a removal in another transaction ends the invitation, or waits for this one.
  await lockOrganization(trx, organizationId);
  const invitation = await trx
    .updateTable("invitations")
    .set({ accepted_at: new Date(), accepted_by: personId })
    .where("id", "=", found.id)
    .where(isOpen)
    .where((eb) => isFor(eb, personId))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("memberships")
            .select("memberships.person_id")
            .where("memberships.organization_id", "=", organizationId)
            .where("memberships.person_id", "=", personId),
        ),
      ),
    )
    .returning(["id", "email", "role", "scope", "mailed_at"])
    .executeTakeFirst();
  if (invitation === undefined) {
    const open = await openInvitation(trx, tokenHash, personId);
    if (open === null) return null;
    return open.isMember ? "is_member" : "other_address";
  }
  if (invitation.mailed_at !== null)
    await trx.updateTable("people").set({ email_verified: true }).where("id", "=", personId).execute();
  const projects = await trx
    .selectFrom("invitation_projects")
    .select("project_id")
    .where("invitation_id", "=", invitation.id)
    .execute();
  const { role } = invitation;
  const scope = scopeOf(
    invitation.scope,
    projects.map(({ project_id }) => project_id),
  );
  await insertMembership(trx, { organizationId, personId, role, scope });
  const act = { personId, action: "invitation.accepted", organizationId, subject: invitation.id };
  await writeAudit(trx, { ...act, detail: { email: invitation.email, role, scope } });
  return { organizationId };
}

function scopeOf(kind: MemberScope["kind"], projectIds: readonly string[]): MemberScope {
  return kind === "organization" ? { kind } : { kind, projectIds };
}

/** Whether the person's account has the invited address. */
function isFor(eb: ExpressionBuilder<Database, "invitations">, personId: string) {
  return eb.exists(
    eb
      .selectFrom("people as invited")
      .select("invited.id")
      .where("invited.id", "=", personId)
      .whereRef(sql`lower(invited.email)`, "=", sql`lower(invitations.email)`),
  );
}

function isOpen(eb: ExpressionBuilder<Database, "invitations">) {
  return eb.and([
    eb("invitations.accepted_at", "is", null),
    eb("invitations.revoked_at", "is", null),
    eb("invitations.expires_at", ">", sql<Date>`now()`),
  ]);
}
