// Sign-up with a verified address, and forgotten passwords. In: requests with an API key. Out: the same answer whether
// or not an address has an account. Only a mail to the address says more.
import { randomUUID } from "node:crypto";
import { Fault } from "@plinth/service";
import type { Pool } from "pg";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { type AttemptLimit, createAttemptLimit } from "../../identity/attempt-limit.ts";
import { createStoredLimit, type StoredLimit, type StoredLimitOptions } from "../../identity/stored-limit.ts";
import type { AccountMails } from "../../mail/account-mail-queue.ts";
import { writeAudit } from "../audit.ts";
import { type CredentialsOptions, changeCredentials } from "../change-credentials.ts";
import { emailAddress } from "../email-address.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { charged, networkKey, takeAttempt, takeStored } from "../take-attempt.ts";
import type { AccountTokens, PendingSignUp } from "./account-tokens.ts";
import { newPassword, type SignUp } from "./credentials.ts";
import type { Passwords } from "./password.ts";
import { endSessionsOf } from "./session.ts";

export interface ProofLimits {
  /** Mails to one address of a project, whoever requests them. */
  readonly ofAddress: StoredLimit;
  readonly ofNetwork: AttemptLimit;
  /** Invalid tokens, from one network. */
  readonly wrongTokens: AttemptLimit;
}

export interface Proofs {
  readonly pool: Pool;
  readonly accountTokens: AccountTokens;
  readonly accountMails: AccountMails;
  readonly proofLimits: ProofLimits;
}

export interface ProofOptions extends CredentialsOptions, Proofs {
  readonly passwords: Passwords;
}

/** @param clock Monotonic milliseconds. */
export function createProofLimits(
  clock: () => number,
  { pool, kek }: Pick<StoredLimitOptions, "pool" | "kek">,
): ProofLimits {
  return {
    ofAddress: createStoredLimit({ pool, kek, name: "account mails", attemptsMax: 5, windowSeconds: 3_600 }),
    ofNetwork: createAttemptLimit({ attemptsMax: 30, windowMs: 15 * 60_000, clock }),
    wrongTokens: createAttemptLimit({ attemptsMax: 30, windowMs: 15 * 60_000, clock }),
  };
}

const token = z.string().min(1).max(200);
const verifyBody = z.strictObject({ token, password: newPassword });
const forgotBody = z.strictObject({ email: emailAddress });
const resetBody = z.strictObject({ token, password: newPassword });

const sent = (): Reply => jsonReply(202, { status: "mail_sent" });

/**
 * The account isn't created before the address is verified, so nobody can take somebody else's address. The password
 * isn't stored, but chosen by the person who proves the address: otherwise they could confirm an account whose password
 * a stranger knows.
 */
export async function askForProof(
  options: ProofOptions,
  context: ModuleContext,
  { email, name, profile }: SignUp,
): Promise<Reply> {
  const { projectId, release } = context;
  await takeMail(options, context, email);
  // Done with and without an account, so that both take the same time.
  const token = await options.accountTokens.makeVerification(projectId, { email, name, profile });
  const isTaken = (await userOf(context, email)) !== null;
  await options.accountMails.add(
    options.pool,
    release,
    isTaken ? { kind: "account_exists", to: email, token: null } : { kind: "verify_email", to: email, token },
  );
  options.accountMails.wake();
  return sent();
}

/** @throws Fault invalid_credentials. */
export async function takeProof(
  options: ProofOptions,
  context: ModuleContext,
): Promise<PendingSignUp & { readonly hash: string }> {
  const { projectId, incoming } = context;
  const { token: given, password } = readBody(incoming, verifyBody);
  return tokenOf(options, context, async () => {
    // First, because if it is refused due to a full queue, the token must still work.
    const hash = await options.passwords.hash(projectId, password);
    const pending = await options.accountTokens.takeVerification(projectId, given);
    return pending === null ? null : { ...pending, hash };
  });
}

export async function forgotPassword(options: ProofOptions, context: ModuleContext): Promise<Reply> {
  const { projectId, release, incoming } = context;
  const { email } = readBody(incoming, forgotBody);
  await takeMail(options, context, email);
  const userId = await userOf(context, email);
  // Without an account, a token for nobody is created, so that both cases take the same time.
  const token = await options.accountTokens.makeReset(projectId, userId ?? randomUUID());
  const mail = { kind: "reset_password", to: email, token } as const;
  await options.accountMails.add(options.pool, release, mail, { isDiscarded: userId === null });
  options.accountMails.wake();
  return sent();
}

/** Ends all sessions of the account, because somebody else may know the old password. */
export async function resetPassword(options: ProofOptions, context: ModuleContext): Promise<Reply> {
  const { projectId, release, incoming } = context;
  const { token: given, password } = readBody(incoming, resetBody);
  const { userId, hash } = await tokenOf(options, context, async () => {
    // First, because if it is refused due to a full queue, the token must still work.
    const passwordHash = await options.passwords.hash(projectId, password);
    const owner = await options.accountTokens.takeReset(projectId, given);
    return owner === null ? null : { userId: owner, hash: passwordHash };
  });
  const isSet = await changeCredentials(options, projectId, async (open) => {
    const { rowCount } = await open.query(`UPDATE ${release.schema}.users SET password_hash = $2 WHERE id = $1::uuid`, [
      userId,
      hash,
    ]);
    if (rowCount === 0) return false;
    await endSessionsOf(open, release.schema, userId, null);
    const actor = { kind: "user", id: userId } as const;
    await writeAudit(open, release, {
      requestId: incoming.id,
      actor,
      operation: "reset_password",
      entity: "session",
      recordId: userId,
      changes: {},
    });
    return true;
  });
  if (!isSet) throw noProof();
  return { status: 204, headers: { "cache-control": "no-store" }, body: null };
}

/** @throws Fault rate_limited. */
async function takeMail(
  { proofLimits }: ProofOptions,
  { projectId, incoming }: ModuleContext,
  email: string,
): Promise<void> {
  takeAttempt(proofLimits.ofNetwork, networkKey(projectId, incoming.ip));
  await takeStored(proofLimits.ofAddress, projectId, email);
}

async function tokenOf<Taken>(
  { proofLimits }: ProofOptions,
  { projectId, incoming }: ModuleContext,
  take: () => Promise<Taken | null>,
): Promise<Taken> {
  const isWrong = (error: unknown): boolean => error instanceof Fault && error.code === "invalid_credentials";
  return charged(proofLimits.wrongTokens, networkKey(projectId, incoming.ip), isWrong, async () => {
    const taken = await take();
    if (taken === null) throw noProof();
    return taken;
  });
}

function noProof(): Fault {
  return new Fault("invalid_credentials", {
    detail: "This token is invalid, already used or expired. Request another mail.",
  });
}

async function userOf({ tenant, release }: ModuleContext, email: string): Promise<string | null> {
  const { rows } = await tenant.run({
    lane: "fast",
    text: `SELECT u.id::text FROM ${release.schema}.users u WHERE u.email = $1`,
    values: [email],
  });
  return rows[0]?.[0] ?? null;
}
