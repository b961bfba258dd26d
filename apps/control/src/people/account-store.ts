// A person's own account in the database. In: ids. Out: rows. It never sees a password; it hands hashes to the code that verifies
// them.
import { isUniqueViolation } from "@plinth/postgres";
import { sql } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import { revokeInvitations } from "../invitations/revoke.ts";
import { isLastOwner, lockOrganization } from "../organizations/membership.ts";
import type { PersonSession, Theme } from "./api.ts";

export interface AccountStore {
  passwordHash(personId: string): Promise<string | null>;
  sessions(personId: string): Promise<readonly Omit<PersonSession, "isCurrent">[]>;
  /** False if it isn't the person's. */
  endSession(personId: string, sessionId: string): Promise<boolean>;
  touchSession(sessionId: string): Promise<void>;
  rename(personId: string, name: string): Promise<void>;
  changeEmail(personId: string, email: string): Promise<"changed" | "taken">;
  setTheme(personId: string, theme: Theme): Promise<void>;
  facts(personId: string): Promise<{ readonly theme: Theme; readonly twoFactor: boolean }>;
  /**
   * Deletes everything of the person from the database, including empty organizations in which nobody else is a member.
   * @returns The names of organizations that would lose their last owner. If there are any, nothing was deleted.
   */
  remove(personId: string): Promise<readonly string[]>;
}

export function createAccountStore(db: ControlDatabase): AccountStore {
  const audit = (connection: Connection, personId: string, action: string, detail: Record<string, unknown> = {}) =>
    writeAudit(connection, { personId, action, subject: personId, detail });
  return {
    passwordHash: async (personId) => {
      const row = await db
        .selectFrom("accounts")
        .select("password_hash")
        .where("person_id", "=", personId)
        .where("provider_id", "=", "credential")
        .executeTakeFirst();
      return row?.password_hash ?? null;
    },

    sessions: async (personId) => {
      const rows = await db
        .selectFrom("sessions")
        .select(["id", "ip_address", "user_agent", "created_at", "last_seen_at"])
        .where("person_id", "=", personId)
        .where("expires_at", ">", sql<Date>`now()`)
        .orderBy("last_seen_at", "desc")
        .limit(100)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        address: row.ip_address,
        userAgent: row.user_agent,
        createdAt: row.created_at.toISOString(),
        lastSeenAt: row.last_seen_at.toISOString(),
      }));
    },

    endSession: (personId, sessionId) =>
      db.transaction().execute(async (trx) => {
        const ended = await trx
          .deleteFrom("sessions")
          .where("id", "=", sessionId)
          .where("person_id", "=", personId)
          .executeTakeFirst();
        if (ended.numDeletedRows === 0n) return false;
        await audit(trx, personId, "session.ended");
        return true;
      }),

    touchSession: async (sessionId) => {
      await db.updateTable("sessions").set({ last_seen_at: sql`now()` }).where("id", "=", sessionId).execute();
    },

    rename: (personId, name) =>
      db.transaction().execute(async (trx) => {
        await trx.updateTable("people").set({ name }).where("id", "=", personId).execute();
        await audit(trx, personId, "person.renamed");
      }),

    changeEmail: async (personId, email) => {
      try {
        await db.transaction().execute(async (trx) => {
          await trx.updateTable("people").set({ email, email_verified: false }).where("id", "=", personId).execute();
          await audit(trx, personId, "person.email_changed");
        });
        return "changed";
      } catch (error) {
        if (isUniqueViolation(error)) return "taken";
        throw error;
      }
    },

    setTheme: async (personId, theme) => {
      await db.updateTable("people").set({ theme }).where("id", "=", personId).execute();
    },

    facts: async (personId) => {
      const row = await db
        .selectFrom("people")
        .select(["theme", "two_factor_enabled"])
        .where("id", "=", personId)
        .executeTakeFirstOrThrow();
      return { theme: row.theme, twoFactor: row.two_factor_enabled };
    },

    remove: (personId) =>
      db.transaction().execute(async (trx) => {
        // First: whatever starts a session or creates a membership takes this lock, too, so it is finished or finds the account deleted.
        await trx.selectFrom("people").select("id").where("id", "=", personId).forNoKeyUpdate().executeTakeFirst();
        const held = await leaveAll(trx, personId);
        if (held.length > 0) return held;
        for (const table of [
          "sessions",
          "accounts",
          "two_factors",
          "access_tokens",
          "device_grants",
          "password_resets",
        ] as const)
          await trx.deleteFrom(table).where("person_id", "=", personId).execute();
        await trx
          .updateTable("people")
          .set({
            name: "Deleted account",
            email: `${personId.toLowerCase()}@deleted.invalid`,
            email_verified: false,
            two_factor_enabled: false,
            deleted_at: sql`now()`,
          })
          .where("id", "=", personId)
          .execute();
        await audit(trx, personId, "person.deleted");
        return [];
      }),
  };
}

/** Leaves all organizations, or none: if one can't be left, the caller rolls back its transaction. */
async function leaveAll(trx: Connection, personId: string): Promise<readonly string[]> {
  const organizations = await trx
    .selectFrom("memberships")
    .innerJoin("organizations", "organizations.id", "memberships.organization_id")
    .select(["organizations.id", "organizations.name"])
    .where("memberships.person_id", "=", personId)
    .orderBy("organizations.id")
    .execute();
  const alone: string[] = [];
  const held: string[] = [];
  for (const { id, name } of organizations) {
    await lockOrganization(trx, id);
    if (!(await isLastOwner(trx, id, personId))) continue;
    const members = await trx.selectFrom("memberships").select("person_id").where("organization_id", "=", id).execute();
    const project = await trx.selectFrom("projects").select("id").where("organization_id", "=", id).executeTakeFirst();
    if (members.length > 1 || project !== undefined) held.push(name);
    else alone.push(id);
  }
  if (held.length > 0) return held;
  for (const { id } of organizations) {
    await revokeInvitations(trx, id, { inviter: personId });
    await revokeInvitations(trx, id, { invited: personId });
  }
  await trx.deleteFrom("memberships").where("person_id", "=", personId).execute();
  if (alone.length > 0) await trx.deleteFrom("organizations").where("id", "in", alone).execute();
  await trx.updateTable("organizations").set({ personal_of: null }).where("personal_of", "=", personId).execute();
  return [];
}
