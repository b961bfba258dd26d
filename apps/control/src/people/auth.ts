// People: sign-up, sign-in, sessions, on better-auth. In: HTTP requests under /auth, headers with a cookie.
// Out: answers, and the person a cookie belongs to. It never decides what a person may do.
import { isDiskFull } from "@plinth/postgres";
import { type Logger, RecentMap } from "@plinth/service";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { getAdapter } from "better-auth/db/adapter";
import { twoFactor } from "better-auth/plugins/two-factor";
import type { ControlDatabase } from "../database/tables.ts";
import { createFailureWatch } from "./failure-watch.ts";
import { withHashedSessionTokens } from "./hashed-sessions.ts";
import { createSignInJudge } from "./overtaken-sign-in.ts";
import type { Passwords } from "./password.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export interface People {
  /**
   * Answers a request under /auth; the client's address is taken from the header `CLIENT_IP`.
   * @throws Fault `unavailable` where the database is away or has no space left: part of it may not have been done.
   */
  handle(request: Request): Promise<Response>;
  /** The person whose session cookie the headers carry; null where there is none. @throws Fault `unavailable` */
  sessionOf(headers: Headers): Promise<Session | null>;
}

export interface Session {
  readonly id: string;
  readonly person: Person;
  /** `Set-Cookie` lines that the answer must carry: a session in use is prolonged once a day. */
  readonly cookies: readonly string[];
}

/** Set by the server from the connection, whatever the client sent under this name. */
export const CLIENT_IP = "x-plinth-client-ip";

/** All that is served. Others (list-sessions, revoke-session) would show stored tokens or take them as names. */
export const authPaths = [
  "/sign-up/email",
  "/sign-in/email",
  "/sign-out",
  "/get-session",
  "/change-password",
  // Signs out everywhere, here included.
  "/revoke-sessions",
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/generate-backup-codes",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
] as const;

/** They begin a session for somebody who is signed out. */
const SIGN_INS: readonly string[] = [
  "/sign-in/email",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
] satisfies readonly (typeof authPaths)[number][];

export type AuthPath = (typeof authPaths)[number];

export interface PeopleOptions {
  readonly db: ControlDatabase;
  readonly logger: Logger;
  readonly passwords: Passwords;
  readonly secret: string;
  readonly controlUrl: string;
  readonly trustedOrigins: readonly string[];
  readonly secureCookies: boolean;
  /** Called after each new session, so that what failed after a sign-up is made good by the next sign-in. */
  readonly onSession: (personId: string) => Promise<void>;
  /** Called while a session is in use, once in some minutes. */
  readonly onSeen: (sessionId: string) => Promise<void>;
}

const BASE_PATH = "/auth";
const SEEN_MS = 5 * 60_000;
const SEEN_MAX = 10_000;

export async function createPeople(options: PeopleOptions): Promise<People> {
  const watch = createFailureWatch();
  const judge = createSignInJudge(options.db, options.passwords);
  const settings = authSettings({
    ...options,
    passwords: judge.passwords,
    onSession: (personId) => watch.note(() => options.onSession(personId)),
  });
  const adapter = await getAdapter({
    ...settings,
    database: { db: options.db, type: "postgres", transaction: true },
  });
  const auth = betterAuth({ ...settings, database: () => withHashedSessionTokens(watch.adapter(adapter)) });
  const seen = new RecentMap<string, number>(SEEN_MAX);
  const find = (headers: Headers, query: { disableRefresh?: boolean } = {}) =>
    watch.during(() => auth.api.getSession({ headers, query, returnHeaders: true }));
  return {
    handle: (request) => {
      const isSignIn = SIGN_INS.includes(new URL(request.url).pathname.slice(BASE_PATH.length));
      return watch.during(() => {
        const answer = (): Promise<Response> => auth.handler(request);
        return isSignIn ? judge.judge(answer) : answer();
      });
    },
    sessionOf: async (headers) => {
      if (!headers.has("cookie")) return null;
      const { response: found, headers: answered } = await find(headers).catch((error: Error) => {
        // Who reads needs no space: the session is prolonged another time.
        if (isDiskFull(error.cause)) return find(headers, { disableRefresh: true });
        throw error;
      });
      if (found === null) return null;
      const { id, name, email } = found.user;
      const sessionId = found.session.id;
      if ((seen.get(sessionId) ?? 0) < Date.now() - SEEN_MS) {
        seen.set(sessionId, Date.now());
        // Nobody waits for it, and nobody is refused because it fails.
        void options.onSeen(sessionId).catch(() => seen.delete(sessionId));
      }
      return { id: sessionId, person: { id, name, email }, cookies: answered.getSetCookie() };
    },
  };
}

function authSettings(options: PeopleOptions): BetterAuthOptions {
  const { logger } = options;
  return {
    appName: "Plinth",
    baseURL: options.controlUrl,
    basePath: BASE_PATH,
    secret: options.secret,
    trustedOrigins: [...options.trustedOrigins],
    telemetry: { enabled: false },
    logger: {
      level: "warn",
      // The message alone: further arguments may hold what a person typed.
      log: (level, message) => logger[level === "error" ? "error" : level === "warn" ? "warn" : "info"](message),
    },
    databaseHooks: { session: { create: { after: (session) => options.onSession(session.userId) } } },
    user: {
      modelName: "people",
      fields: { emailVerified: "email_verified", createdAt: "created_at", updatedAt: "updated_at" },
    },
    session: {
      modelName: "sessions",
      fields: {
        userId: "person_id",
        token: "token_hash",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
      expiresIn: 7 * 24 * 3600,
      updateAge: 24 * 3600,
      // A revoked session must be refused at once.
      cookieCache: { enabled: false },
    },
    account: {
      modelName: "accounts",
      fields: {
        userId: "person_id",
        accountId: "account_id",
        providerId: "provider_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        password: "password_hash",
        createdAt: "created_at",
        updatedAt: "updated_at",
      },
    },
    verification: {
      modelName: "verifications",
      fields: { expiresAt: "expires_at", createdAt: "created_at", updatedAt: "updated_at" },
      storeIdentifier: "hashed",
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 8,
      maxPasswordLength: 256,
      password: { hash: options.passwords.hash, verify: options.passwords.verify },
    },
    plugins: [
      twoFactor({
        issuer: "Plinth",
        // Whoever guesses codes has the password: ten wrong ones in a row, over all sign-ins, lock them out for a while.
        accountLockout: { maxFailedAttempts: 10, durationSeconds: 900 },
        schema: {
          user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
          twoFactor: {
            modelName: "two_factors",
            fields: {
              userId: "person_id",
              backupCodes: "backup_codes",
              failedVerificationCount: "failures",
              lockedUntil: "locked_until",
            },
          },
        },
      }),
    ],
    // See `sign-in-guard.ts`: this one counts by address alone.
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: "plinth",
      useSecureCookies: options.secureCookies,
      defaultCookieAttributes: { httpOnly: true, sameSite: "lax" },
      ipAddress: { ipAddressHeaders: [CLIENT_IP] },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      database: { validateSchema: false },
    },
  };
}
