// A forgotten password. In: an address, or the token of a link and a new password. Out: a mail with a link, or the new password. The
// answer to an address never shows whether an account has it: neither by its words nor by its time.
import type { Logger } from "@plinth/service";
import { APIError } from "better-auth/api";
import type { OwnMailer } from "../own-mail/mailer.ts";
import { resetMail } from "../own-mail/texts.ts";
import { newSecret, storedForm } from "../tokens/secret.ts";
import { createAttempts } from "./attempts.ts";
import type { Passwords } from "./password.ts";
import type { ResetStore } from "./reset-store.ts";

export interface PasswordResets {
  readonly mail: OwnMailer["kind"];
  /** Returns at once, and sends the mail afterwards if an account has the address. @returns The seconds to wait, or 0. */
  request(email: string, clientAddress: string): number;
  /** @throws APIError 503 if too many passwords are being hashed. */
  use(
    token: string,
    password: string,
    clientAddress: string,
  ): Promise<"done" | "not_open" | { readonly waitSeconds: number }>;
  /** Resolves when the mails that have begun are sent. */
  settled(): Promise<void>;
}

export interface PasswordResetOptions {
  readonly store: ResetStore;
  readonly mailer: OwnMailer;
  readonly passwords: Pick<Passwords, "hash">;
  readonly logger: Logger;
  readonly consoleUrl: string;
  /** Requests, and tokens that are not open, by client address and hour. */
  readonly attemptsMax: number;
}

export const RESET_MINUTES = 30;
/** In an hour. The earlier links keep working, so nobody can keep a person from resetting by asking too often. */
const MAILS_PER_ADDRESS = 3;
const HOUR_SECONDS = 3600;

export function createPasswordResets(options: PasswordResetOptions): PasswordResets {
  const { store, mailer, passwords, attemptsMax } = options;
  const byClient = createAttempts({ max: attemptsMax, windowSeconds: HOUR_SECONDS });
  const missedByClient = createAttempts({ max: attemptsMax, windowSeconds: HOUR_SECONDS });
  const byAddress = createAttempts({ max: MAILS_PER_ADDRESS, windowSeconds: HOUR_SECONDS });
  const sending = new Set<Promise<void>>();
  return {
    mail: mailer.kind,
    request: (email, clientAddress) => {
      const { waitSeconds } = byClient.take(clientAddress);
      if (waitSeconds > 0) return waitSeconds;
      // Counted as typed, whether or not there is an account.
      if (mailer.kind === "none" || byAddress.take(email.toLowerCase()).waitSeconds > 0) return 0;
      const work = send(options, email).finally(() => sending.delete(work));
      sending.add(work);
      return 0;
    },
    use: async (token, password, clientAddress) => {
      const charge = missedByClient.take(clientAddress);
      if (charge.waitSeconds > 0) return { waitSeconds: charge.waitSeconds };
      const tokenHash = storedForm(token);
      // Checked first, because a hash costs memory and time.
      if (!(await store.isOpen(tokenHash))) return "not_open";
      charge.giveBack();
      return (await store.use(tokenHash, await passwords.hash(password))) ? "done" : "not_open";
    },
    settled: async () => {
      await Promise.all(sending);
    },
  };
}

/** The link of a new token, which is in no database and in no log. The token is after the `#`, so that no server logs it. */
export function newResetLink(consoleUrl: string): { readonly link: string; readonly tokenHash: string } {
  const token = newSecret();
  return { link: `${consoleUrl}/reset-password#${token}`, tokenHash: storedForm(token) };
}

/** Never rejects: nobody waits for it. */
async function send({ store, mailer, logger, consoleUrl }: PasswordResetOptions, email: string): Promise<void> {
  try {
    const { link, tokenHash } = newResetLink(consoleUrl);
    const created = await store.create({ email, tokenHash, mailed: mailer.kind === "smtp", minutes: RESET_MINUTES });
    if (created !== null) await mailer.send(resetMail({ to: email.toLowerCase(), link, minutes: RESET_MINUTES }));
  } catch (error) {
    // Only the message: a reply of the mail server could repeat the mail.
    logger.error({ reason: (error as Error).message }, "a mail with a link for a new password was not sent");
  }
}

/** The error of a busy server, from the queue of passwords. */
export function isBusy(error: unknown): boolean {
  return error instanceof APIError && error.status === "SERVICE_UNAVAILABLE";
}
