// Refuses sign-ins that are too late: the password was right when it was verified, but it was changed, or the account was deleted,
// before the session was stored. In: the answer of a sign-in. Out: the same answer, or a refusal and no session. It decides before
// the answer is sent, so nobody can use such a session.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import { holdPerson } from "../organizations/membership.ts";
import { storedSessionToken } from "./hashed-sessions.ts";
import type { Passwords } from "./password.ts";

export interface SignInJudge {
  /** The same functions; they also record which hash a password matched, for `judge`. */
  readonly passwords: Passwords;
  /** @param signIn Handles a sign-in: it stores a session, or refuses. */
  judge(signIn: () => Promise<Response>): Promise<Response>;
}

export function createSignInJudge(db: ControlDatabase, passwords: Passwords): SignInJudge {
  const calls = new AsyncLocalStorage<{ matched: string | null }>();
  return {
    passwords: {
      hash: passwords.hash,
      verify: async (given) => {
        const isRight = await passwords.verify(given);
        const call = calls.getStore();
        if (isRight && call !== undefined) call.matched = given.hash;
        return isRight;
      },
    },
    judge: async (signIn) => {
      const call: { matched: string | null } = { matched: null };
      const response = await calls.run(call, signIn);
      const begun = response.ok ? begunSession(await response.clone().text()) : null;
      if (begun === null) return response;
      const stands = await db.transaction().execute(async (trx) => {
        if (await isStill(trx, begun.personId, call.matched)) return true;
        await trx.deleteFrom("sessions").where("token_hash", "=", storedSessionToken(begun.token)).execute();
        return false;
      });
      return stands ? response : Response.json(REFUSAL, { status: 401 });
    },
  };
}

/** The same as the answer of better-auth to a wrong password. */
const REFUSAL = { code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" };

/** Null if the second factor is still missing. */
function begunSession(text: string): { readonly token: string; readonly personId: string } | null {
  const body = JSON.parse(text || "null") as { token?: unknown; user?: { id?: unknown } } | null;
  const [token, personId] = [body?.token, body?.user?.id];
  return typeof token === "string" && typeof personId === "string" ? { token, personId } : null;
}

/**
 * Locks both rows. So it waits for a change or a deletion that has begun. One that begins later finds the session and ends it, because
 * both write to the row before they delete the sessions.
 */
async function isStill(trx: Connection, personId: string, matched: string | null): Promise<boolean> {
  if (!(await holdPerson(trx, personId))) return false;
  if (matched === null) return true;
  const account = await trx
    .selectFrom("accounts")
    .select("password_hash")
    .where("person_id", "=", personId)
    .where("provider_id", "=", "credential")
    .forShare()
    .executeTakeFirst();
  return account?.password_hash === matched;
}
