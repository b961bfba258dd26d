// Sign-up, sign-in, sign-out and passwords of console people. In: what a form holds. Out: null, or a sentence for the person.
// The session is an HttpOnly cookie that the control API sets; no script ever sees it.
import { createAuthClient } from "better-auth/client";
import { submitOnce } from "../../submit-once.ts";

type Outcome = Promise<string | null>;

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

export function signIn(person: { email: string; password: string }): Outcome {
  return outcomeOf(client.signIn.email(person));
}

export function signOut(): Outcome {
  return outcomeOf(client.signOut());
}

/** Also ends every other session of the person; the one here goes on. */
export function changePassword(passwords: { currentPassword: string; newPassword: string }): Outcome {
  return outcomeOf(client.changePassword(passwords));
}

/** Ends every session of the person, the one here included. */
export function signOutEverywhere(): Outcome {
  return outcomeOf(client.revokeSessions());
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
      return "There is an account with this email already. Sign in instead.";
    case "INVALID_EMAIL_OR_PASSWORD":
      return "Email or password is wrong. Check both, then try again.";
    case "PASSWORD_TOO_SHORT":
      return "The password is too short: use at least 8 characters.";
    case "PASSWORD_TOO_LONG":
      return "The password is too long: use at most 256 characters.";
    case "INVALID_PASSWORD":
      return "The current password is wrong. Nothing was changed.";
    case "TOO_MANY_ATTEMPTS":
      return error.message ?? "Too many attempts. Wait a few minutes, then try again.";
    case "UNAVAILABLE":
      return `${error.message ?? "The database is not reachable at the moment."} Try again in a minute.`;
    case "INVALID_EMAIL":
      return "This is no valid email address.";
    default:
      if (error.status >= 500) return "The control API can't be reached. Check that it is running, then try again.";
      return error.message ?? "That was refused. Check what you entered, then try again.";
  }
}
