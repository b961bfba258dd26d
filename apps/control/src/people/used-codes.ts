// Codes of authenticator apps work once (RFC 6238, 5.2). In: a person and a correct code. Out: whether it is used for the
// first time. It doesn't verify codes.
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { ControlDatabase } from "../database/tables.ts";

export interface UsedCodes {
  /** Marks the code as used. @returns false if it was used before. Only one of several simultaneous calls returns true. */
  claim(personId: string, code: string): Promise<boolean>;
}

// A code is accepted in its own 30 seconds and in those before and after. Twice that, for clocks that differ between servers.
const KEPT_SECONDS = 180;

export function createUsedCodes(db: ControlDatabase, secret: string): UsedCodes {
  // A plain hash of six digits could be reversed immediately.
  const hash = (code: string): string => createHmac("sha256", secret).update(`used-code:${code}`).digest("hex");
  return {
    claim: async (personId, code) => {
      await db
        .deleteFrom("used_codes")
        .where("used_at", "<", sql<Date>`now() - make_interval(secs => ${KEPT_SECONDS})`)
        .execute();
      const claimed = await db
        .insertInto("used_codes")
        .values({ person_id: personId, code_hash: hash(code.replaceAll(/\D/g, "")) })
        .onConflict((conflict) => conflict.doNothing())
        .returning("person_id")
        .executeTakeFirst();
      return claimed !== undefined;
    },
  };
}
