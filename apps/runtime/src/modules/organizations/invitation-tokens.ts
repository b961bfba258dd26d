// The tokens of invitations. In: a project. Out: a new token; for a given text, whether this cell created it for the
// project. It doesn't know whether an invitation is open: the database does.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface InvitationTokens {
  make(projectId: string): string;
  /**
   * Needs no look-up, and takes the same time whichever character is wrong. Also false for tokens of earlier versions.
   */
  isOurs(projectId: string, token: string): boolean;
}

/**
 * The secret part alone can't be guessed. The code after it distinguishes guesses from tokens that were really created.
 */
const SECRET_BYTES = 32;
const CODE_BYTES = 16;

/**
 * @param kek The cell's key-encryption key. The key for the codes is derived from it, so all replicas have the same.
 */
export function createInvitationTokens(kek: Buffer): InvitationTokens {
  const key = createHmac("sha256", kek).update("plinth invitations").digest();
  const codeOf = (projectId: string, secret: Buffer): Buffer =>
    createHmac("sha256", key).update(`${projectId}/`).update(secret).digest().subarray(0, CODE_BYTES);
  return {
    make: (projectId) => {
      const secret = randomBytes(SECRET_BYTES);
      return `pli_${Buffer.concat([secret, codeOf(projectId, secret)]).toString("base64url")}`;
    },
    isOurs: (projectId, token) => {
      const bytes = Buffer.from(token.slice(4), "base64url");
      if (!token.startsWith("pli_") || bytes.length !== SECRET_BYTES + CODE_BYTES) return false;
      const code = bytes.subarray(SECRET_BYTES);
      return timingSafeEqual(code, codeOf(projectId, bytes.subarray(0, SECRET_BYTES)));
    },
  };
}
