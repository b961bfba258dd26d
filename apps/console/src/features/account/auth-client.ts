// Sign-up, sign-in, sign-out, passwords and the second factor. In: the content of a form. Out: null on success, or a sentence for the person.
// The session is an HttpOnly cookie that the control API sets; no script can read it.
import { createAuthClient } from "better-auth/client";
import { submitOnce } from "../../submit-once.ts";

type Outcome = Promise<string | null>;

export interface Refusal {
  readonly refused: string;
}

export interface NewTwoFactor {
  readonly totpURI: string;
  readonly backupCodes: readonly string[];
}

interface Answer {
  readonly error: {
    readonly status: number;
    readonly code?: string | undefined;
    readonly message?: string | undefined;
  } | null;
}

const client = createAuthClient({
  basePath: "/control/auth",
  fetchOptions: { customFetchImpl: submitOnce() },
});

export function signUp(person: { name: string; email: string; password: string }): Outcome {
  return outcomeOf(client.signUp.email(person));
}

/** "code": the password is right, but a code of the second factor is required. */
export async function signIn(person: { email: string; password: string }): Promise<Refusal | "code" | null> {
  let isCodeNeeded = false;
  const answer = client.signIn.email(person).then((answered) => {
    isCodeNeeded = answered.data !== null && "twoFactorRedirect" in answered.data;
    return answered;
  });
  const refused = await outcomeOf(answer);
  if (refused !== null) return { refused };
  return isCodeNeeded ? "code" : null;
}

/** Sends a code from the authenticator app, or a backup code. Completes the sign-in that waits for it, or the setup of the app. */
export function sendCode(code: string, kind: "totp" | "backup-code"): Outcome {
  return outcomeOf(post(`/two-factor/verify-${kind}`, { code }));
}

/** Starts the setup of an authenticator app, with backup codes. Nothing changes before a code is sent. */
export function beginTwoFactor(password: string): Promise<Refusal | NewTwoFactor> {
  return answerOf<NewTwoFactor>(post("/two-factor/enable", { password }));
}

export function endTwoFactor(password: string): Outcome {
  return outcomeOf(post("/two-factor/disable", { password }));
}

/** Earlier backup codes stop working. */
export function renewBackupCodes(password: string): Promise<Refusal | Pick<NewTwoFactor, "backupCodes">> {
  return answerOf<Pick<NewTwoFactor, "backupCodes">>(post("/two-factor/generate-backup-codes", { password }));
}

export function signOut(): Outcome {
  return outcomeOf(client.signOut());
}

/** Also ends every other session of the person, but not this one. */
export function changePassword(passwords: { currentPassword: string; newPassword: string }): Outcome {
  return outcomeOf(client.changePassword(passwords));
}

/** Ends every session of the person, including this one. */
export function signOutEverywhere(): Outcome {
  return outcomeOf(client.revokeSessions());
}

/** Where the console's own mails go: to a mail server, to the mailbox of a Plinth on one's own machine, or nowhere. */
export type MailWay = "smtp" | "mailbox" | "none";

export async function readMailWay(): Promise<MailWay> {
  const { data, error } = await client.$fetch<{ mail: MailWay }>("/password-reset", { method: "GET" });
  if (error !== null) throw new Error(sentenceFor(error));
  return data.mail;
}

/** The answer is the same for an address without an account. */
export function askForReset(email: string): Outcome {
  return outcomeOf(post("/password-reset/request", { email }));
}

/** Ends every session of the person. */
export function resetPassword(token: string, password: string): Outcome {
  return outcomeOf(post("/password-reset", { token, password }));
}

function post(path: string, body: object): Promise<Answer & { readonly data: unknown }> {
  return client.$fetch(path, { method: "POST", body });
}

async function answerOf<Data>(answer: Promise<Answer & { readonly data: unknown }>): Promise<Refusal | Data> {
  const refused = await outcomeOf(answer);
  return refused === null ? ((await answer).data as Data) : { refused };
}

async function outcomeOf(answer: Promise<Answer>): Outcome {
  try {
    const { error } = await answer;
    return error === null ? null : sentenceFor(error);
  } catch {
    return "The control API can't be reached. Check that it is running, then try again.";
  }
}

function sentenceFor(error: NonNullable<Answer["error"]>): string {
  switch (error.code) {
    case "USER_ALREADY_EXISTS":
    case "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL":
      return "An account with this email already exists. Sign in instead.";
    case "INVALID_EMAIL_OR_PASSWORD":
      return "The email or the password is wrong. Check both, then try again.";
    case "PASSWORD_TOO_SHORT":
      return "The password is too short: use at least 8 characters.";
    case "PASSWORD_TOO_LONG":
      return "The password is too long: use at most 256 characters.";
    case "INVALID_PASSWORD":
      return "The current password is wrong. Nothing was changed.";
    case "INVALID_CODE":
      return "The code is wrong, or no longer valid. Wait for the next one, then try again.";
    case "CODE_WAS_USED":
      return "This code has been used already. Enter your password again, then the next code.";
    case "INVALID_BACKUP_CODE":
      return "This backup code doesn't exist or was already used.";
    case "INVALID_TWO_FACTOR_COOKIE":
      return "This sign-in has expired. Enter your password again.";
    case "TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE":
      return "Too many wrong codes. Enter your password again.";
    case "ACCOUNT_TEMPORARILY_LOCKED":
      return "Too many wrong codes for this account. Try again in 15 minutes.";
    case "TOO_MANY_ATTEMPTS":
      return error.message ?? "Too many attempts. Wait a few minutes, then try again.";
    case "UNAVAILABLE":
      return `${error.message ?? "The database is not reachable at the moment."} Try again in a minute.`;
    case "LINK_NOT_OPEN":
      return "This link was used, or it has expired. Ask for a new one.";
    case "INVALID_EMAIL":
      return "This is not a valid email address.";
    default:
      if (error.status >= 500) return "The control API can't be reached. Check that it is running, then try again.";
      return error.message ?? "The request was refused. Check what you entered, then try again.";
  }
}
