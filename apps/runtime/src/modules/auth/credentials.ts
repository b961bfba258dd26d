// What a caller must send to sign up or in, and how often they may fail. In: a body, an IP. Out: credentials, or a Fault.
// Failures count by network and account together, so that nobody can lock somebody else's account.
import { z } from "zod";
import type { Incoming } from "../../http/contracts.ts";
import { type AttemptLimit, createAttemptLimit } from "../../identity/attempt-limit.ts";
import { emailAddress } from "../email-address.ts";
import { readBody } from "../json-body.ts";
import { networkKey } from "../take-attempt.ts";
import type { Profile } from "./profile.ts";

/** What Postgres can hold: no NUL, no half of a surrogate pair. */
const name = z
  .string()
  .max(255)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), { message: "This text can't be stored." });

export const newPassword: z.ZodType<string> = z
  .string()
  .refine((text) => lengthOf(text) >= 8, { message: "At least 8 characters." })
  .refine((text) => lengthOf(text) <= 256, { message: "At most 256 characters." });

/** The fields that the blueprint gives to users; the release says which, and what they may hold. */
const profile = z.custom<Profile>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
  // A record of Zod's leaves out what is called `__proto__`, which is unknown like any other name.
  message: "It must be an object.",
});
const signUpBody = z.strictObject({
  email: emailAddress,
  password: newPassword,
  name: name.nullish(),
  profile: profile.optional(),
});
/** A password of another length can't be right; it is refused as wrong input, whoever the account belongs to. */
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
  /** All attempts that cost a hash, from one network at one project. */
  readonly attempts: AttemptLimit;
  /** Sign-ups that met a taken address, or a taken value of a profile: each of them tells that an account exists. */
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
