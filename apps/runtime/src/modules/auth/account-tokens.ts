// Tokens that prove that somebody reads the mail of an address. A token is stored as its SHA-256, works once and for a
// short time. In: the account. Out: the token, and later the data that it was created for. A sign-up that waits for its
// proof is stored sealed.
import { createHash, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { SecretBox } from "../../identity/secret-box.ts";
import type { Profile } from "./profile.ts";

export interface PendingSignUp {
  readonly email: string;
  readonly name: string | null;
  /** Absent in sign-ups that were already waiting when profiles were introduced. */
  readonly profile?: Profile;
}

export interface AccountTokens {
  makeVerification(projectId: string, pending: PendingSignUp): Promise<string>;
  /** Invalidates the user's earlier ones. */
  makeReset(projectId: string, userId: string): Promise<string>;
  /**
   * Null if the token does not exist or no longer works. It can't be used again, and invalidates the user's other
   * tokens.
   */
  takeVerification(projectId: string, token: string): Promise<PendingSignUp | null>;
  takeReset(projectId: string, token: string): Promise<string | null>;
}

export const VERIFICATION_HOURS = 24;
export const RESET_MINUTES = 30;

type Taken = { readonly user_id: string | null; readonly sealed: string | null };

export function createAccountTokens({ pool, box }: { readonly pool: Pool; readonly box: SecretBox }): AccountTokens {
  const insert = async (
    projectId: string,
    of: { readonly purpose: "verify" | "reset"; readonly userId: string | null; readonly minutes: number },
    sealedFor: (hash: string) => string | null,
  ): Promise<string> => {
    const token = `plm_${randomBytes(32).toString("base64url")}`;
    const hash = hashOf(token);
    await pool.query(
      `INSERT INTO plinth.account_tokens (project_id, hash, purpose, user_id, sealed, expires_at)
       VALUES ($1, $2, $3, $4::uuid, $5, now() + $6 * interval '1 minute')`,
      [projectId, hash, of.purpose, of.userId, sealedFor(hash), of.minutes],
    );
    return token;
  };
  const take = async (projectId: string, token: string, purpose: "verify" | "reset"): Promise<Taken | null> => {
    const { rows } = await pool.query<Taken>(
      `WITH taken AS (
         DELETE FROM plinth.account_tokens WHERE project_id = $1 AND hash = $2 AND purpose = $3 AND expires_at > now()
         RETURNING user_id, sealed
       ), others AS (
         DELETE FROM plinth.account_tokens t USING taken
         WHERE t.project_id = $1 AND t.user_id = taken.user_id AND t.hash <> $2
       ) SELECT user_id, sealed FROM taken`,
      [projectId, hashOf(token), purpose],
    );
    return rows[0] ?? null;
  };
  return {
    async makeVerification(projectId, pending) {
      const of = { purpose: "verify", userId: null, minutes: VERIFICATION_HOURS * 60 } as const;
      return insert(projectId, of, (hash) =>
        box.seal(Buffer.from(JSON.stringify(pending)), contextOf(projectId, hash)),
      );
    },
    async makeReset(projectId, userId) {
      await pool.query("DELETE FROM plinth.account_tokens WHERE project_id = $1 AND user_id = $2::uuid", [
        projectId,
        userId,
      ]);
      return insert(projectId, { purpose: "reset", userId, minutes: RESET_MINUTES }, () => null);
    },
    async takeVerification(projectId, token) {
      const taken = await take(projectId, token, "verify");
      if (taken?.sealed == null) return null;
      const opened = box.open(taken.sealed, contextOf(projectId, hashOf(token)));
      return JSON.parse(opened.toString("utf8")) as PendingSignUp;
    },
    takeReset: async (projectId, token) => (await take(projectId, token, "reset"))?.user_id ?? null,
  };
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function contextOf(projectId: string, hash: string): string {
  return `account-token/${projectId}/${hash}`;
}
