// Access tokens of a project's end users: JWT, EdDSA, 15 minutes. In: a user and a session, or a token. Out: a token,
// or its subject. A token never contains the user's rights: roles are looked up.
import { hash } from "node:crypto";
import { isProjectId, type ProjectId } from "@plinth/bundle";
import { SharedByteCache } from "@plinth/service";
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import type { SigningKeys } from "./signing-keys.ts";

export const ACCESS_TOKEN_SECONDS = 900;

export interface TokenSubject {
  readonly projectId: ProjectId;
  readonly userId: string;
  readonly sessionId: string;
}

export interface UserTokens {
  sign(subject: TokenSubject): Promise<string>;
  /** Answers from memory only: a token that was verified before and has not expired. */
  peek(token: string): TokenSubject | undefined;
  /** Null for everything that is not a valid, unexpired token of a project of this cell. */
  verify(token: string): Promise<TokenSubject | null>;
  /** The session of the token has ended for good, so the token is never looked up again. */
  end(token: string, subject: Pick<TokenSubject, "projectId">): void;
  hasEnded(token: string): boolean;
  /** Deletes a project's tokens from the cache. */
  forget(projectId: string): void;
}

interface Verified extends TokenSubject {
  readonly expiresAtSeconds: number;
}

/** For all projects: valid tokens, and tokens whose session has ended. */
const VERIFIED_BYTES_MAX = 12_000_000;
const ENDED_BYTES_MAX = 4_000_000;
/** A hash in base64; a subject with its ids. */
const HASH_BYTES = 70;
const SUBJECT_BYTES = 250;
const TOKEN_LENGTH_MAX = 2_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * @param publicUrl The address of this cell for apps. The issuer is `<publicUrl>/p/<project id>`, where the JWKS is
 * served. @param nowSeconds Wall clock, seconds since 1970.
 */
export function createUserTokens(options: {
  readonly signingKeys: SigningKeys;
  readonly publicUrl: string;
  readonly nowSeconds: () => number;
}): UserTokens {
  const { signingKeys, nowSeconds } = options;
  const issuerOf = (projectId: string): string => `${options.publicUrl.replace(/\/$/, "")}/p/${projectId}`;
  // By the token's hash, so that a heap dump of the cache contains no credential.
  const verified = new SharedByteCache<Verified>({
    bytesMax: VERIFIED_BYTES_MAX,
    weigh: () => HASH_BYTES + SUBJECT_BYTES,
  });
  const ended = new SharedByteCache<true>({ bytesMax: ENDED_BYTES_MAX, weigh: () => HASH_BYTES });

  async function check(token: string): Promise<Verified | null> {
    if (!isCanonical(token)) return null;
    const named = readUnverified(token);
    if (named === null) return null;
    const key = (await signingKeys.of(named.projectId)).find((candidate) => candidate.kid === named.kid);
    if (key === undefined) return null;
    const { payload } = await jwtVerify(token, key.publicKey, {
      algorithms: ["EdDSA"],
      audience: named.projectId,
      issuer: issuerOf(named.projectId),
      requiredClaims: ["exp", "iat", "sub", "sid"],
      currentDate: new Date(nowSeconds() * 1000),
    }).catch(() => ({ payload: null }));
    if (payload === null || typeof payload.sub !== "string" || typeof payload.sid !== "string") return null;
    if (!UUID.test(payload.sub) || !UUID.test(payload.sid)) return null;
    return {
      projectId: named.projectId,
      userId: payload.sub,
      sessionId: payload.sid,
      expiresAtSeconds: payload.exp as number,
    };
  }

  return {
    async sign({ projectId, userId, sessionId }) {
      const key = (await signingKeys.of(projectId))[0];
      if (key === undefined) throw new Error(`no signing key for ${projectId}`);
      const now = nowSeconds();
      return new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: "EdDSA", kid: key.kid, typ: "JWT" })
        .setIssuer(issuerOf(projectId))
        .setAudience(projectId)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
        .sign(key.privateKey());
    },
    peek(token) {
      if (token.length > TOKEN_LENGTH_MAX) return undefined;
      const hash = hashOfToken(token);
      const known = verified.get(hash);
      if (known === undefined || known.expiresAtSeconds > nowSeconds()) return known;
      verified.delete(hash);
      return undefined;
    },
    end(token, { projectId }) {
      const hash = hashOfToken(token);
      verified.delete(hash);
      ended.set(projectId, hash, true);
    },
    hasEnded: (token) =>
      ended.size > 0 && token.length <= TOKEN_LENGTH_MAX && ended.get(hashOfToken(token)) !== undefined,
    forget(projectId) {
      verified.forget(projectId);
      ended.forget(projectId);
    },
    async verify(token) {
      const subject = token.length > TOKEN_LENGTH_MAX ? null : await check(token);
      if (subject === null) return null;
      verified.set(subject.projectId, hashOfToken(token), subject);
      return subject;
    },
  };
}

function hashOfToken(token: string): string {
  return hash("sha256", token, "base64");
}

/** Reads the project and the key that a token names, only to choose the key that then verifies it. */
/**
 * Whether the signature is written in the only right way. Padding, other alphabets and unused bits would decode to the
 * same bytes, and the token would be accepted under several hashes. The signature covers the other two parts.
 */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return Buffer.from(signature, "base64url").toString("base64url") === signature;
}

function readUnverified(token: string): { readonly projectId: ProjectId; readonly kid: string } | null {
  try {
    const { aud } = decodeJwt(token);
    const { kid } = decodeProtectedHeader(token);
    if (typeof aud !== "string" || !isProjectId(aud) || typeof kid !== "string") return null;
    return { projectId: aud, kid };
  } catch {
    return null;
  }
}
