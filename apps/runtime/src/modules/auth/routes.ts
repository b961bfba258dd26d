// Sign-up, sign-in, refresh and sign-out of a project's end users. In: a request with an API key. Out: a session's
// tokens. A known and an unknown account get the same answer, after the same work. Each write has its audit row in its
// transaction.

import { randomUUID } from "node:crypto";
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { SecretBox } from "../../identity/secret-box.ts";
import { ACCESS_TOKEN_SECONDS, type UserTokens } from "../../identity/user-token.ts";
import type { TextRow } from "../../project/tenant.ts";
import { type Actor, writeAudit } from "../audit.ts";
import { type CredentialsOptions, changeCredentials } from "../change-credentials.ts";
import { jsonReply } from "../json-body.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { charged, networkKey, takeAttempt } from "../take-attempt.ts";
import { refuseDisabled } from "../users/disabled.ts";
import { readUser, type UserRecord, userColumns } from "../users/user-record.ts";
import { type Acting, actingIn, writeChange } from "../write-change.ts";
import type { PendingSignUp } from "./account-tokens.ts";
import { accountKey, readRefreshToken, readSignIn, readSignOut, readSignUp, type SignInLimits } from "./credentials.ts";
import type { Passwords } from "./password.ts";
import { decodeProfile, requireFree, writeProfile } from "./profile.ts";
import { askForProof, forgotPassword, type Proofs, resetPassword, takeProof } from "./proofs.ts";
import {
  beginSession,
  endSession,
  lockAccount,
  type NewSession,
  rotateSession,
  type SessionOrigin,
} from "./session.ts";

export interface AuthRoutesOptions extends CredentialsOptions, Proofs {
  readonly tokens: UserTokens;
  readonly passwords: Passwords;
  readonly limits: SignInLimits;
  /** Seals the secret fields of profiles. */
  readonly secretBox: SecretBox;
}

export function authHandlers(options: AuthRoutesOptions): ModuleHandlers {
  return {
    "auth.sign_up": (context) => signUp(options, context),
    "auth.verify_email": (context) => verifyEmail(options, context),
    "auth.forgot_password": (context) => forgotPassword(options, context),
    "auth.reset_password": (context) => resetPassword(options, context),
    "auth.sign_in": (context) => signIn(options, context),
    "auth.refresh": (context) => refresh(options, context),
    "auth.sign_out": (context) => signOut(options, context),
  };
}

async function signUp(options: AuthRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { incoming, projectId } = context;
  const wanted = readSignUp(incoming);
  const network = networkKey(projectId, incoming.ip);
  takeAttempt(options.limits.attempts, network);
  // Checked before a mail is sent or a password is hashed. Values that are bound to the record are sealed when the
  // record exists.
  const acting = signingUp(context, NOBODY, wanted.email);
  const values = decodeProfile(options.secretBox, acting, NOBODY, wanted.profile);
  if (context.release.bundle.background.accounts?.verifyEmail === true) {
    await charged(options.limits.taken, network, isTaken, () => requireFree(context.tenant, acting, values));
    return askForProof(options, context, wanted);
  }
  const signedUp = await charged(options.limits.taken, network, isTaken, async () => {
    const hash = await options.passwords.hash(projectId, wanted.password);
    return createAccount(options, context, { ...wanted, hash });
  });
  return sessionReply(options, context, 201, signedUp.user, signedUp.session);
}

/** The account is created now, with the password that comes with the proof. */
async function verifyEmail(options: AuthRoutesOptions, context: ModuleContext): Promise<Reply> {
  const signedUp = await createAccount(options, context, await takeProof(options, context));
  return sessionReply(options, context, 201, signedUp.user, signedUp.session);
}

interface Begun {
  readonly user: UserRecord;
  readonly session: NewSession;
}

/** @throws Fault unique_violation. */
async function createAccount(
  options: AuthRoutesOptions,
  context: ModuleContext,
  { email, hash, name, profile = {} }: PendingSignUp & { readonly hash: string },
): Promise<Begun> {
  const { projectId, release } = context;
  const userId = randomUUID();
  const acting = signingUp(context, userId, email);
  const values = decodeProfile(options.secretBox, acting, userId, profile);
  const created = await options.scopeOf(projectId).transaction(async (open) => {
    const rows = await writeChange(open, acting, {
      entity: "user",
      operation: "create",
      mutation: `INSERT INTO ${release.schema}.users (id, email, name, password_hash) VALUES ($1::uuid, $2, $3, $4)
        ON CONFLICT (email) DO NOTHING RETURNING *`,
      values: [userId, email, name, hash],
      record: "written",
      changes: { email, name },
      events: [{ name: "user.created" }],
      returning: userColumns(release, "_w"),
    });
    if (rows[0] === undefined) return null;
    await writeProfile(open, acting, userId, values);
    const session = await beginSession(open, release.schema, userId, originOf(context));
    await auditOf(open, context, { kind: "user", id: userId })("sign_in", "session", session.sessionId, {});
    const row = values.size === 0 ? rows[0] : await userRow(open, context, userId);
    return { user: readUser(release.bundle, row), session };
  });
  if (created !== null) return created;
  throw new Fault("unique_violation", {
    detail: "An account with this e-mail address already exists.",
    errors: [
      { path: "/email", code: "taken", message: "An account with this e-mail address already exists. Sign in." },
    ],
  });
}

async function userRow(open: TenantTransaction, { release }: ModuleContext, userId: string): Promise<TextRow> {
  const text = `SELECT ${userColumns(release, "u")} FROM ${release.schema}.users u WHERE u.id = $1::uuid`;
  return (await open.query(text, [userId])).rows[0] ?? [];
}

/** The id of a user who doesn't exist yet. */
const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The new user is the one who acts: nobody else creates the account. */
function signingUp(context: ModuleContext, userId: string, email: string): Acting {
  const { keyId, keyKind } = context.principal.kind === "operator" ? { keyId: null, keyKind: null } : context.principal;
  const user = { kind: "user", userId, sessionId: "", email, roles: [], keyId, keyKind, memberships: [] } as const;
  return { ...actingIn(context), principal: user, organization: null };
}

async function signIn(options: AuthRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { incoming, projectId } = context;
  const credentials = readSignIn(incoming);
  const account = accountKey(projectId, incoming.ip, credentials.email);
  takeAttempt(options.limits.attempts, networkKey(projectId, incoming.ip));
  const begun = await charged(options.limits.failures, account, isWrong, () =>
    enterAccount(options, context, credentials),
  );
  return sessionReply(options, context, 200, begun.user, begun.session);
}

/** @throws Fault invalid_credentials. */
async function enterAccount(
  options: AuthRoutesOptions,
  context: ModuleContext,
  { email, password }: ReturnType<typeof readSignIn>,
): Promise<Begun> {
  const { projectId, release, tenant } = context;
  const found = await tenant.run({
    lane: "fast",
    text: `SELECT u.id::text, u.password_hash FROM ${release.schema}.users u WHERE u.email = $1`,
    values: [email],
  });
  const [userId = null, stored = null] = found.rows[0] ?? [];
  const fits = await options.passwords.verify(projectId, stored, password);
  if (!fits || userId === null) throw wrongPassword();
  const begun = await options.scopeOf(projectId).transaction(async (open) => {
    await lockAccount(open, release.schema, userId, "shared");
    // FOR SHARE: a user who is being deleted gets no session.
    const { rows } = await open.query(
      `SELECT ${userColumns(release, "u")} FROM ${release.schema}.users u
       WHERE u.id = $1::uuid AND u.password_hash = $2 FOR SHARE`,
      [userId, stored],
    );
    if (rows[0] === undefined) return null;
    const session = await beginSession(open, release.schema, userId, originOf(context));
    await auditOf(open, context, { kind: "user", id: userId })("sign_in", "session", session.sessionId, {});
    const user = readUser(release.bundle, rows[0]);
    await refuseDisabled(open, projectId, userId);
    return { user, session };
  });
  if (begun === null) throw wrongPassword();
  return begun;
}

/** Known and unknown addresses get the same answer. */
function wrongPassword(): Fault {
  return new Fault("invalid_credentials", { detail: "The e-mail address or the password is wrong." });
}

const isTaken = (error: unknown): boolean => error instanceof Fault && error.code === "unique_violation";
const isWrong = (error: unknown): boolean => error instanceof Fault && error.code === "invalid_credentials";

async function refresh(options: AuthRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { incoming, projectId, release } = context;
  const refreshToken = readRefreshToken(incoming);
  const work = async (open: TenantTransaction): Promise<Begun | "reused" | null> => {
    const rotation = await rotateSession(open, release.schema, refreshToken, originOf(context));
    if (rotation.kind === "unknown") return null;
    const audit = auditOf(open, context, { kind: "user", id: rotation.userId });
    if (rotation.kind === "reused") {
      await audit("revoke_reused", "session", rotation.family, {});
      return rotation.kind;
    }
    await audit("refresh", "session", rotation.session.sessionId, {});
    const row = await userRow(open, context, rotation.userId);
    await refuseDisabled(open, projectId, rotation.userId);
    return { user: readUser(release.bundle, row), session: rotation.session };
  };
  const outcome = await changeCredentials(options, projectId, work, (done) => done === "reused");
  // The revocation is already committed, so the fault can't roll it back.
  if (outcome === null || outcome === "reused") {
    throw new Fault("invalid_credentials", {
      detail: "This refresh token is unknown, already used or expired. Sign in again.",
    });
  }
  return sessionReply(options, context, 200, outcome.user, outcome.session);
}

/** Ends the session of the refresh token, or of the user's token that comes with the key. It can be repeated. */
async function signOut(options: AuthRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { incoming, projectId, release, principal } = context;
  const refreshToken = readSignOut(incoming);
  const by =
    refreshToken !== null ? { refreshToken } : principal.kind === "user" ? { sessionId: principal.sessionId } : null;
  if (by === null) {
    throw new Fault("validation_failed", {
      errors: [{ path: "/refresh_token", code: "required", message: "Name the session to end." }],
    });
  }
  const work = async (open: TenantTransaction): Promise<boolean> => {
    const session = await endSession(open, release.schema, by);
    if (session === null) return false;
    await auditOf(open, context, { kind: "user", id: session.userId })("sign_out", "session", session.family, {});
    return true;
  };
  await changeCredentials(options, projectId, work, (ended) => ended);
  return { status: 204, headers: { "cache-control": "no-store" }, body: null };
}

async function sessionReply(
  options: AuthRoutesOptions,
  { projectId }: ModuleContext,
  status: number,
  user: UserRecord,
  session: NewSession,
): Promise<Reply> {
  const { sessionId, refreshToken } = session;
  return jsonReply(status, {
    user,
    access_token: await options.tokens.sign({ projectId, userId: user.id, sessionId }),
    refresh_token: refreshToken,
    expires_in: ACCESS_TOKEN_SECONDS,
  });
}

function originOf({ incoming }: ModuleContext): SessionOrigin {
  const agent = incoming.headers["user-agent"];
  return { ip: incoming.ip, userAgent: agent ?? null };
}

type Audit = (
  operation: string,
  entity: "session",
  recordId: string,
  changes: Readonly<Record<string, unknown>>,
) => Promise<void>;

function auditOf(open: TenantTransaction, context: ModuleContext, actor: Actor): Audit {
  return (operation, entity, recordId, changes) =>
    writeAudit(open, context.release, {
      requestId: context.incoming.id,
      actor,
      operation,
      entity,
      recordId,
      changes,
    });
}
