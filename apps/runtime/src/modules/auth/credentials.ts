// Checks the input of sign-up and sign-in, and limits failures. In: a body, an IP. Out: credentials, or a Fault.
// Failures are counted by network and account together, so that nobody can lock another person's account.
import { z } from "zod";
import type { Incoming } from "../../http/contracts.ts";
import { type AttemptLimit, createAttemptLimit } from "../../identity/attempt-limit.ts";
import { emailAddress } from "../email-address.ts";
import { readBody } from "../json-body.ts";
import { networkKey } from "../take-attempt.ts";
import type { Profile } from "./profile.ts";

/** Text that Postgres can store: no NUL, no half of a surrogate pair. */
const name = z
  .string()
  .max(255)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), {
    message: "The text contains characters that can't be stored.",
  });

export const newPassword: z.ZodType<string> = z
  .string()
  .refine((text) => lengthOf(text) >= 8, { message: "It must have at least 8 characters." })
  .refine((text) => lengthOf(text) <= 256, { message: "It must have at most 256 characters." });

/** The fields that the blueprint adds to users. The release defines them and their values. */
const profile = z.custom<Profile>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
  // Zod's records drop the name `__proto__`, which must be refused like any other unknown name.
  message: "It must be an object.",
});
const signUpBody = z.strictObject({
  email: emailAddress,
  password: newPassword,
  name: name.nullish(),
  profile: profile.optional(),
});
/** A password of another length can't be right. It is refused as wrong input, whoever owns the account. */
const signInBody = z.strictObject({ email: emailAddress, password: newPassword });
const refreshToken = z.string().min(1).max(200);
const refreshBody = z.strictObject({ refresh_token: refreshToken });
const signOutBody = z.strictObject({ refresh_token: refreshToken.optional() });

export interface Credentials {
  /** Lower case. */
  readonly email: string;
  readonly password: string;
}

export interface SignUp extends Credentials {
  readonly name: string | null;
  readonly profile: Profile;
}

export function readSignUp(incoming: Incoming): SignUp {
  const { email, password, name, profile } = readBody(incoming, signUpBody);
  return { email, password, name: name ?? null, profile: profile ?? {} };
}

export function readSignIn(incoming: Incoming): Credentials {
  return readBody(incoming, signInBody);
}

export function readRefreshToken(incoming: Incoming): string {
  return readBody(incoming, refreshBody).refresh_token;
}

export function readSignOut(incoming: Incoming): string | null {
  return readBody(incoming, signOutBody).refresh_token ?? null;
}

function lengthOf(text: string): number {
  return [...text].length;
}

export interface SignInLimits {
  /** Wrong passwords for one account from one network. */
  readonly failures: AttemptLimit;
  /** All attempts that need a hash, from one network at one project. */
  readonly attempts: AttemptLimit;
  /** Sign-ups with a taken address, or a taken value in a profile. Each of them reveals that an account exists. */
  readonly taken: AttemptLimit;
}

/** @param clock Monotonic milliseconds. */
export function createSignInLimits(clock: () => number): SignInLimits {
  return {
    failures: createAttemptLimit({ attemptsMax: 10, windowMs: 15 * 60_000, clock }),
    attempts: createAttemptLimit({ attemptsMax: 120, windowMs: 60_000, clock }),
    taken: createAttemptLimit({ attemptsMax: 20, windowMs: 15 * 60_000, clock }),
  };
}

export function accountKey(projectId: string, ip: string, email: string): string {
  return `${networkKey(projectId, ip)}/${email}`;
}
