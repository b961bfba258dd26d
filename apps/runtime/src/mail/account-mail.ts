// The texts of mails about accounts. In: the event, and a token. Out: a mail. If the blueprint has a template of that
// name, the mail uses its text.
import type { BundleBackground } from "@plinth/bundle";
import type { ActiveRelease } from "../project/active-release.ts";
import { escapeHtml, type RenderedMail, renderEmail } from "./render.ts";

export type AccountMailKind = "verify_email" | "account_exists" | "reset_password" | "invitation";

export interface AccountMail {
  readonly kind: AccountMailKind;
  readonly to: string;
  /** Null if the mail contains no token. */
  readonly token: string | null;
}

const usual: Readonly<Record<AccountMailKind, { readonly subject: string; readonly text: string }>> = {
  verify_email: {
    subject: "Confirm your e-mail address",
    text: "Somebody signed up with this address. If it was you, confirm it within 24 hours. Otherwise ignore this mail.",
  },
  account_exists: {
    subject: "You already have an account",
    text: "Somebody signed up with this address, which has an account already. If it was you, sign in, or reset your password. Otherwise ignore this mail.",
  },
  reset_password: {
    subject: "Reset your password",
    text: "Somebody asked to reset the password of this account. If it was you, set a new one within 30 minutes. Otherwise ignore this mail.",
  },
  invitation: {
    subject: "You are invited",
    text: "You are invited to an organization. Sign in with this address to accept.",
  },
};

/** How long the token works. The mail is useless after that. */
export const usefulMinutes: Readonly<Record<AccountMailKind, number>> = {
  verify_email: 24 * 60,
  account_exists: 24 * 60,
  reset_password: 30,
  invitation: 7 * 24 * 60,
};

export function renderAccountMail(
  { bundle: { background } }: ActiveRelease,
  { kind, token }: AccountMail,
): RenderedMail {
  const link = linkOf(background, kind, token);
  const own = background.emails?.find(({ name }) => name === kind);
  if (own !== undefined) return renderEmail(own, { link, token }, null);
  const { subject, text } = usual[kind];
  const shown = link ?? token;
  const anchor =
    link === null
      ? `<p><code>${escapeHtml(token ?? "")}</code></p>`
      : `<p><a href="${escapeHtml(link)}">${escapeHtml(subject)}</a></p>`;
  return {
    subject,
    text: shown === null ? `${text}\n` : `${text}\n\n${shown}\n`,
    html: shown === null ? `<p>${text}</p>` : `<p>${text}</p>${anchor}`,
  };
}

function linkOf({ accounts }: BundleBackground, kind: AccountMailKind, token: string | null): string | null {
  const pages: Readonly<Record<AccountMailKind, string | null | undefined>> = {
    verify_email: accounts?.verifyUrl,
    reset_password: accounts?.resetUrl,
    invitation: accounts?.invitationUrl,
    account_exists: null,
  };
  const page = pages[kind] ?? null;
  return page === null || token === null ? null : `${page}#token=${encodeURIComponent(token)}`;
}
