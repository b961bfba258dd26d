// Claims of submissions in the database, which are valid for all processes. In: a person, a key, the input. Out: whether it is
// the first with its key. It never stores an answer.
import { sql } from "kysely";
import type { ControlDatabase } from "../database/tables.ts";

export interface Submission {
  readonly personId: string;
  /** The client's key, one for each intention. */
  readonly key: string;
  readonly procedure: string;
  readonly inputHash: string;
}

/** `same` is false if the key was used for another input. */
export type Claim = { readonly kind: "mine" } | { readonly kind: "theirs"; readonly same: boolean; done: boolean };

export interface SubmissionStore {
  claim(submission: Submission): Promise<Claim>;
  markDone(submission: Submission): Promise<void>;
  /** It had no effect, so the next one with this key is the first again. */
  release(submission: Submission): Promise<void>;
}

/** Long enough for a retry by a person. If a process dies, its claim blocks others no longer than this. */
const KEPT = "1 hour";

export function createSubmissionStore(db: ControlDatabase): SubmissionStore {
  return {
    claim: async ({ personId, key, procedure, inputHash }) => {
      await db
        .deleteFrom("submissions")
        .where("started_at", "<", sql<Date>`now() - interval ${sql.lit(KEPT)}`)
        .execute();
      const created = await db
        .insertInto("submissions")
        .values({ person_id: personId, key, procedure, input_hash: inputHash, done_at: null })
        .onConflict((conflict) => conflict.columns(["person_id", "key"]).doNothing())
        .returning("key")
        .executeTakeFirst();
      if (created !== undefined) return { kind: "mine" };
      const found = await db
        .selectFrom("submissions")
        .select(["procedure", "input_hash", "done_at"])
        .where("person_id", "=", personId)
        .where("key", "=", key)
        .executeTakeFirst();
      // The claim was released between the two statements, so the caller tries again.
      if (found === undefined) return { kind: "theirs", same: true, done: false };
      const same = found.procedure === procedure && found.input_hash === inputHash;
      return { kind: "theirs", same, done: found.done_at !== null };
    },
    markDone: async ({ personId, key }) => {
      await db
        .updateTable("submissions")
        .set({ done_at: new Date() })
        .where("person_id", "=", personId)
        .where("key", "=", key)
        .execute();
    },
    release: async ({ personId, key }) => {
      await db.deleteFrom("submissions").where("person_id", "=", personId).where("key", "=", key).execute();
    },
  };
}
