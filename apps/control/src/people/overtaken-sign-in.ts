// Sign-ins that something has overtaken: the password was right when it was looked at, and changed, or the account was deleted, before
// the session was there. In: the answer of a sign-in. Out: the same, or a refusal, and the session is gone. It judges before the
// answer leaves, so that nobody has used such a session.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Connection, ControlDatabase } from "../database/tables.ts";
import { storedSessionToken } from "./hashed-sessions.ts";
import type { Passwords } from "./password.ts";

export interface SignInJudge {
  /** The same passwords; the hash that one matches is noted for the call that asked. */
  readonly passwords: Passwords;
  /** Answers a sign-in. @param signIn Begins a session, or refuses to. */
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

/** What better-auth says of a wrong password. */
const REFUSAL = { code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" };

/** Null where a code is still to come. */
function begunSession(text: string): { readonly token: string; readonly personId: string } | null {
  const body = JSON.parse(text || "null") as { token?: unknown; user?: { id?: unknown } } | null;
  const [token, personId] = [body?.token, body?.user?.id];
  return typeof token === "string" && typeof personId === "string" ? { token, personId } : null;
}

/**
 * Both rows are locked: a change or a deletion that has begun is waited for, and one that begins later finds the session and ends it,
 * because both change the row before they end the sessions.
 */
async function isStill(trx: Connection, personId: string, matched: string | null): Promise<boolean> {
  const person = await trx
    .selectFrom("people")
    .select("id")
    .where("id", "=", personId)
    .where("deleted_at", "is", null)
    .forShare()
    .executeTakeFirst();
  if (person === undefined) return false;
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
