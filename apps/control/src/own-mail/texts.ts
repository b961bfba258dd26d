// The texts of the installation's mails. In: names and a link. Out: mails as plain text. Names of people and organizations are on one
// line, so nobody can write a mail of their own into them.
import type { OwnMail } from "./own-mail.ts";

export interface ResetText {
  readonly to: string;
  readonly link: string;
  readonly minutes: number;
}

export function resetMail({ to, link, minutes }: ResetText): OwnMail {
  return {
    to,
    subject: "Set a new password for Plinth",
    text: `Somebody asked for a new password for ${to}.

Open this link to set it. It works once, for ${minutes} minutes:

${link}

A new password signs you out everywhere. If two-factor authentication is on, the next sign-in still asks for a code.

If it wasn't you, ignore this mail. Your password stays as it is.
`,
  };
}

export interface InvitationText {
  readonly to: string;
  readonly link: string;
  readonly organization: string;
  readonly inviter: { readonly name: string; readonly email: string };
  readonly role: string;
  readonly days: number;
}

export function invitationMail({ to, link, organization, inviter, role, days }: InvitationText): OwnMail {
  const [name, by] = [oneLine(organization), oneLine(inviter.name)];
  return {
    to,
    subject: `${by} invites you to ${name} on Plinth`,
    text: `${by} (${inviter.email}) invites you to the organization ${name}, as ${role === "admin" || role === "owner" ? "an" : "a"} ${role}.

Open this link to see the invitation. It works once, for ${days} days, with an account of ${to}:

${link}

If you didn't expect it, ignore this mail.
`,
  };
}

/** Without addresses that a mail program would turn into links. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/:\/\/|www\./gi, " ")
    .trim()
    .slice(0, 100);
}
