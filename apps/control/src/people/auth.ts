// People: sign-up, sign-in, sessions, with better-auth. In: HTTP requests under /auth, headers with a cookie. Out: responses, and
// the person of a cookie. It never decides what a person can do.
import { isDiskFull } from "@plinth/postgres";
import { type Logger, RecentMap } from "@plinth/service";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { getAdapter } from "better-auth/db/adapter";
import { twoFactor } from "better-auth/plugins/two-factor";
import type { ControlDatabase } from "../database/tables.ts";
import { newBackupCodes } from "./backup-codes.ts";
import { createFailureWatch } from "./failure-watch.ts";
import { withHashedSessionTokens } from "./hashed-sessions.ts";
import { createSignInJudge } from "./overtaken-sign-in.ts";
import type { Passwords } from "./password.ts";
import { createUsedCodes, type UsedCodes } from "./used-codes.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Whether a program acts for the person, with a token for programs. Its texts count as an AI's. */
  readonly isProgram?: true;
}

export interface People {
  /**
   * Answers a request under /auth. The client's address comes from the header `CLIENT_IP`.
   * @throws Fault `unavailable` if the database is unreachable or has no space left. Part of the work may not have been done.
   */
  handle(request: Request): Promise<Response>;
  /** The person of the session cookie in the headers, or null. @throws Fault `unavailable` */
  sessionOf(headers: Headers): Promise<Session | null>;
}

export interface Session {
  readonly id: string;
  readonly person: Person;
  /** The `Set-Cookie` lines for the response: a session in use is extended once a day. */
  readonly cookies: readonly string[];
}

/** The server sets it from the connection, and ignores this header of the client. */
export const CLIENT_IP = "x-plinth-client-ip";

/** All allowed paths. Others (list-sessions, revoke-session) would return stored tokens or accept them as names. */
export const authPaths = [
  "/sign-up/email",
  "/sign-in/email",
  "/sign-out",
  "/get-session",
  "/change-password",
  // Signs out everywhere, including the current session.
  "/revoke-sessions",
  "/two-factor/enable",
  "/two-factor/disable",
  "/two-factor/generate-backup-codes",
  "/two-factor/verify-totp",
  "/two-factor/verify-backup-code",
] as const;

/** These start a session for somebody who is signed out. */
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
  /** Called after each new session, so that the next sign-in repairs what failed after a sign-up. */
  readonly onSession: (personId: string) => Promise<void>;
  /** Called while a session is in use, at most once every few minutes. */
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
        // A read must work without space in the database. The session is extended at a later request.
        if (isDiskFull(error.cause)) return find(headers, { disableRefresh: true });
        throw error;
      });
      if (found === null) return null;
      const { id, name, email } = found.user;
      const sessionId = found.session.id;
      if ((seen.get(sessionId) ?? 0) < Date.now() - SEEN_MS) {
        seen.set(sessionId, Date.now());
        // Nobody waits for it, and its failure refuses nobody.
        void options.onSeen(sessionId).catch(() => seen.delete(sessionId));
      }
      return { id: sessionId, person: { id, name, email }, cookies: answered.getSetCookie() };
    },
  };
}

function authSettings(options: PeopleOptions): BetterAuthOptions {
  const { logger } = options;
  const usedCodes = createUsedCodes(options.db, options.secret);
  return {
    appName: "Plinth",
    baseURL: options.controlUrl,
    basePath: BASE_PATH,
    secret: options.secret,
    trustedOrigins: [...options.trustedOrigins],
    telemetry: { enabled: false },
    logger: {
      level: "warn",
      // Only the message: further arguments could contain a person's input.
      log: (level, message) => logger[level === "error" ? "error" : level === "warn" ? "warn" : "info"](message),
    },
    databaseHooks: {
      session: {
        create: {
          before: (session, context) => refuseUsedCode(usedCodes, session.userId, context),
          after: (session) => options.onSession(session.userId),
        },
      },
    },
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
      // A revoked session must be refused immediately.
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
        // A person who guesses codes has the password. Ten wrong codes in a row, over all sign-ins, lock the account for a while.
        backupCodeOptions: { customBackupCodesGenerate: newBackupCodes, storeBackupCodes: "encrypted" },
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
    // Replaced by `sign-in-guard.ts`: this one only counts by address.
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

/** better-auth accepts a code for as long as it is valid. Somebody who saw it being typed must not sign in with it as well. */
async function refuseUsedCode(
  usedCodes: UsedCodes,
  personId: string,
  context: { readonly path?: string; readonly body?: { readonly code?: unknown } } | null,
): Promise<void> {
  if (context?.path !== "/two-factor/verify-totp") return;
  if (await usedCodes.claim(personId, String(context.body?.code))) return;
  throw new APIError("UNAUTHORIZED", { code: "CODE_WAS_USED", message: "This code was already used." });
}
