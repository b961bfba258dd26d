// Compares the settings of sign-in. In: the background of two models. Out: a change for each setting of `auth`, and for
// addresses in mails about accounts. All of them belong to the protected core: a mail carries a token to its page, and
// rules trust verified addresses.

import type { AccountSettings, Background, EmailTemplate } from "../model/background.ts";
import { addressesIn } from "./addresses.ts";
import type { Change, Witness } from "./change.ts";
import { changeOf, named, same } from "./make-change.ts";

type Page = Exclude<keyof AccountSettings, "verifyEmail">;

const nothing: AccountSettings = { verifyEmail: false, verifyUrl: null, resetUrl: null, invitationUrl: null };

/** The key of each page, and the mail that links to it. */
const pages: Readonly<Record<Page, { readonly key: string; readonly mail: string }>> = {
  verifyUrl: { key: "verify_url", mail: "mails that verify an address" },
  resetUrl: { key: "reset_url", mail: "mails that reset a password" },
  invitationUrl: { key: "invitation_url", mail: "invitations" },
};

export function diffAccounts(before: Background, after: Background): Change[] {
  return [...diffSettings(before, after), ...diffMails(before, after)];
}

export function diffSettings(before: Background, after: Background): Change[] {
  const [was, is] = [before.accounts ?? nothing, after.accounts ?? nothing];
  return [...diffVerification(was.verifyEmail, is.verifyEmail), ...diffPages(was, is)];
}

/** Templates with these names replace the texts of mails with tokens. */
const mailsWithTokens: readonly string[] = ["verify_email", "reset_password", "invitation"];

interface ChangedMail {
  readonly before: EmailTemplate | null;
  readonly after: EmailTemplate;
}

/** A text can send its reader, and the token, to any page. */
export function changedMails(before: Background, after: Background): readonly ChangedMail[] {
  return (after.emails ?? [])
    .filter(({ name }) => mailsWithTokens.includes(name))
    .map((template) => ({ before: before.emails?.find(({ name }) => name === template.name) ?? null, after: template }))
    .filter((pair) => !same(pair.before, pair.after));
}

function diffMails(before: Background, after: Background): Change[] {
  return changedMails(before, after).flatMap(({ before: was, after: is }) => {
    const known = new Set(addressesIn(was));
    const addresses = [...new Set(addressesIn(is).filter((one) => !known.has(one)))];
    if (addresses.length === 0) return [];
    return [
      changeOf({
        kind: "background_changed",
        path: `auth.emails.${is.name}`,
        summary: `The mail \`${is.name}\`, which carries a token, now names ${named(addresses)}.`,
        classes: ["widens_egress"],
      }),
    ];
  });
}

/** A project that verifies addresses answers a sign-up differently. */
function diffVerification(was: boolean, is: boolean): Change[] {
  if (was === is) return [];
  const given = { kind: "background_changed", path: "auth.verify_email", before: was, after: is } as const;
  if (is) {
    const summary = "Users must now verify their address before they get an account.";
    return [changeOf({ ...given, summary, classes: ["breaking"] })];
  }
  const summary = "Users no longer verify their address before they get an account.";
  return [changeOf({ ...given, summary, classes: ["loosens_access", "breaking"], witness: unverified })];
}

const unverified: Witness = {
  role: "public",
  operation: "create",
  entity: "user",
  decided: true,
  summary:
    "Anybody can now get an account with an address that isn't theirs, and rules over `current_user.email` hold for them.",
  record: null,
};

function diffPages(was: AccountSettings, is: AccountSettings): Change[] {
  return (Object.keys(pages) as Page[]).flatMap((page) => {
    const [before, after] = [was[page], is[page]];
    if (before === after) return [];
    const { key, mail } = pages[page];
    const isElsewhere = after !== null && originOf(after) !== originOf(before);
    const opening = mail.charAt(0).toUpperCase() + mail.slice(1);
    const summary =
      after === null
        ? `${opening} no longer link to a page. They only contain their token.`
        : `${opening} now link to \`${after}\`.${isElsewhere ? ` That page gets their tokens.` : ""}`;
    return [
      changeOf({
        kind: "background_changed",
        path: `auth.${key}`,
        summary,
        classes: [isElsewhere ? "widens_egress" : "safe"],
        before: before ?? undefined,
        after: after ?? undefined,
      }),
    ];
  });
}

function originOf(page: string | null): string | null {
  return page === null ? null : new URL(page).origin;
}
