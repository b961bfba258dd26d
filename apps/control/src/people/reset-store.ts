// Links for new passwords in the database. In: the hash of a token, or of a password. Out: rows. It never sees a token or a password.
import { sql } from "kysely";
import { writeAudit } from "../database/audit.ts";
import type { Connection, ControlDatabase } from "../database/tables.ts";

export interface NewReset {
  readonly email: string;
  readonly tokenHash: string;
  /** The link is only sent to the address, so its use proves the address. */
  readonly mailed: boolean;
  readonly minutes: number;
}

export interface ResetStore {
  /** Null if no account has this address. */
  create(reset: NewReset): Promise<{ readonly expiresAt: Date } | null>;
  isOpen(tokenHash: string): Promise<boolean>;
  /**
   * Sets the password, and ends everything that an earlier password has started: sessions, sign-ins that wait for a code, tokens of
   * the command line, other links. False if the link isn't open any more.
   */
  use(tokenHash: string, passwordHash: string): Promise<boolean>;
  /** Ends what an earlier password, or a request for a new one, has begun. */
  endOpenWays(personId: string): Promise<void>;
  /** Turns two-factor authentication off. Null if no account has this address; false if it was off. */
  removeSecondFactor(email: string): Promise<boolean | null>;
}

export function createResetStore(db: ControlDatabase): ResetStore {
  return {
    create: ({ email, tokenHash, mailed, minutes }) =>
      db.transaction().execute(async (trx) => {
        await trx.deleteFrom("password_resets").where("expires_at", "<", sql<Date>`now()`).execute();
        const person = await personWith(trx, email);
        if (person === undefined) return null;
        const { expires_at } = await trx
          .insertInto("password_resets")
          .values({
            token_hash: tokenHash,
            person_id: person.id,
            email: person.email,
            mailed,
            expires_at: sql`now() + make_interval(mins => ${minutes})`,
          })
          .returning("expires_at")
          .executeTakeFirstOrThrow();
        // A mailed link is asked for by somebody who isn't signed in; the other kind is the operator's.
        const detail = { by: mailed ? "mail" : "operator" };
        await writeAudit(trx, { personId: null, action: "password_reset.created", subject: person.id, detail });
        return { expiresAt: expires_at };
      }),

    isOpen: async (tokenHash) => (await openReset(db, tokenHash)) !== undefined,

    use: (tokenHash, passwordHash) =>
      db.transaction().execute(async (trx) => {
        const found = await openReset(trx, tokenHash);
        if (found === undefined) return false;
        // First, as in a deletion of the account: whatever starts a session takes this lock too, so it is finished or finds the new password.
        const person = await trx
          .selectFrom("people")
          .select(["id", "email", "email_verified"])
          .where("id", "=", found.person_id)
          .where("deleted_at", "is", null)
          .forNoKeyUpdate()
          .executeTakeFirst();
        // Again under the lock: only one of two at the same time finds it.
        const reset = await openReset(trx, tokenHash);
        if (reset === undefined || person?.email !== reset.email) return false;
        await setPassword(trx, person.id, passwordHash);
        await endAccess(trx, person.id, { allTokens: reset.mailed && !person.email_verified });
        if (reset.mailed) {
          await trx.updateTable("people").set({ email_verified: true }).where("id", "=", person.id).execute();
        }
        await writeAudit(trx, { personId: person.id, action: "person.password_reset", subject: person.id });
        return true;
      }),

    endOpenWays: (personId) => endOpenWays(db, personId),

    removeSecondFactor: (email) =>
      db.transaction().execute(async (trx) => {
        const person = await personWith(trx, email);
        if (person === undefined) return null;
        const removed = await trx.deleteFrom("two_factors").where("person_id", "=", person.id).executeTakeFirst();
        await trx.updateTable("people").set({ two_factor_enabled: false }).where("id", "=", person.id).execute();
        if (removed.numDeletedRows === 0n) return false;
        const detail = { by: "operator" };
        await writeAudit(trx, { personId: null, action: "person.second_factor_removed", subject: person.id, detail });
        return true;
      }),
  };
}

function openReset(connection: Connection, tokenHash: string) {
  return connection
    .selectFrom("password_resets")
    .select(["person_id", "email", "mailed"])
    .where("token_hash", "=", tokenHash)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
}

function personWith(
  trx: Connection,
  email: string,
): Promise<{ readonly id: string; readonly email: string } | undefined> {
  return trx
    .selectFrom("people")
    .select(["id", "email"])
    .where("email", "=", email.toLowerCase())
    .where("deleted_at", "is", null)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

async function setPassword(trx: Connection, personId: string, passwordHash: string): Promise<void> {
  await trx
    .updateTable("accounts")
    .set({ password_hash: passwordHash, updated_at: sql`now()` })
    .where("person_id", "=", personId)
    .where("provider_id", "=", "credential")
    .execute();
}

/**
 * @param allTokens Also tokens for programs. If the address was never proven until now, somebody else may have registered it and
 * created them.
 */
async function endAccess(trx: Connection, personId: string, { allTokens }: { allTokens: boolean }): Promise<void> {
  for (const table of ["sessions", "device_grants"] as const)
    await trx.deleteFrom(table).where("person_id", "=", personId).execute();
  await endOpenWays(trx, personId);
  const tokens = trx.deleteFrom("access_tokens").where("person_id", "=", personId);
  const ended = await (allTokens ? tokens : tokens.where("kind", "=", "login")).returning("id").execute();
  for (const { id } of ended) await writeAudit(trx, { personId, action: "access_token.revoked", subject: id });
}

/** Links for a new password, and sign-ins that had the password and still wait for a code of the second factor. */
async function endOpenWays(connection: Connection, personId: string): Promise<void> {
  await connection.deleteFrom("password_resets").where("person_id", "=", personId).execute();
  await connection.deleteFrom("verifications").where("value", "=", personId).execute();
}
