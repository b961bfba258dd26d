// Invitations of new members. In: a member who invites, or a signed-in person with the token of a link. Out: the organization and
// role of the invitation, or a membership. Joining needs both: the token, and an account with the invited address.
import { MailError } from "@plinth/connectors/email";
import { notFound, refuse } from "../failure.ts";
import type { OrganizationAccess } from "../organizations/access.ts";
import type { MemberRole, MemberScope } from "../organizations/api.ts";
import type { OwnMailer } from "../own-mail/mailer.ts";
import { invitationMail } from "../own-mail/texts.ts";
import type { Attempts } from "../people/attempts.ts";
import type { Person } from "../people/auth.ts";
import { newSecret, storedForm } from "../tokens/secret.ts";
import type { CreatedInvitation, Invitation, OpenInvitation } from "./api.ts";
import type { InvitationStore } from "./store.ts";

interface Invited {
  readonly email: string;
  readonly role: MemberRole;
  readonly scope: MemberScope;
}

export interface InvitationService {
  list(organization: OrganizationAccess): Promise<readonly Invitation[]>;
  create(by: Person, organization: OrganizationAccess, invited: Invited): Promise<CreatedInvitation>;
  renew(by: Person, organization: OrganizationAccess, invitationId: string): Promise<CreatedInvitation>;
  revoke(by: Person, organization: OrganizationAccess, invitationId: string): Promise<{ revoked: true }>;
  open(by: Person, token: string): Promise<OpenInvitation>;
  accept(by: Person, token: string): Promise<{ organizationId: string }>;
}

export interface InvitationServiceOptions {
  readonly store: InvitationStore;
  readonly mailer: OwnMailer;
  readonly consoleUrl: string;
  /** Mails with invitations, by invited address. */
  readonly mailed: Attempts;
  /** New invitations, by person. */
  readonly made: Attempts;
  /** Tokens without an open invitation, by person. */
  readonly missed: Attempts;
}

const DAYS_OPEN = 7;
const NOT_OPEN = "This invitation is not open: it was used or revoked, or it has expired. Ask for a new link.";

export function createInvitationService(options: InvitationServiceOptions): InvitationService {
  const { store, made, missed, mailed } = options;
  /** Runs `find` unless the person has tried too many tokens. The results null and "closed" count as a failed attempt. */
  const withToken = async <Found>(by: Person, find: () => Promise<Found | null>): Promise<Found> => {
    const charge = missed.take(by.id);
    if (charge.waitSeconds > 0) throw tooMany("links that are not open", charge.waitSeconds);
    const found = await find();
    if (found === null) throw refuse("NOT_FOUND", NOT_OPEN);
    charge.giveBack();
    return found;
  };
  const create: InvitationService["create"] = async (by, organization, { email, role, scope }) => {
    const { waitSeconds } = made.take(by.id);
    if (waitSeconds > 0) throw tooMany("invitations", waitSeconds);
    if (options.mailer.kind === "smtp") {
      const toAddress = mailed.take(email.toLowerCase());
      if (toAddress.waitSeconds > 0) throw tooMany("mails to this address", toAddress.waitSeconds);
    }
    const token = newSecret();
    const outcome = await store.create({
      organizationId: organization.id,
      email: email.toLowerCase(),
      role,
      scope,
      invitedBy: by.id,
      tokenHash: storedForm(token),
      expiresAt: new Date(Date.now() + DAYS_OPEN * 24 * 3600 * 1000),
    });
    switch (outcome) {
      case "no_project":
        throw notFound("project");
      case "above":
        throw refuse("FORBIDDEN", "You can't invite somebody to a role above your own.");
      case "is_member":
        throw refuse("CONFLICT", "A member already has this email address. Change their access in the list.");
      default:
        return sendOrShow(options, organization.id, outcome, token);
    }
  };
  return {
    list: (organization) => store.list(organization.id),

    create,

    renew: async (by, organization, invitationId) => {
      const invited = (await store.list(organization.id)).find(({ id }) => id === invitationId);
      if (invited === undefined) throw notFound("open invitation");
      return create(by, organization, invited);
    },

    revoke: async (by, organization, invitationId) => {
      if (!(await store.revoke({ organizationId: organization.id, invitationId, by: by.id })))
        throw notFound("open invitation");
      return { revoked: true };
    },

    open: (by, token) => withToken(by, () => store.open(storedForm(token), by.id)),

    accept: (by, token) =>
      withToken(by, async () => {
        const outcome = await store.accept(storedForm(token), by.id);
        if (outcome === "is_member")
          throw refuse("CONFLICT", "You are already a member of this organization. An owner can change your access.");
        if (outcome === "other_address")
          throw refuse(
            "FORBIDDEN",
            "This invitation is for another email address. Sign in with an account that has it.",
          );
        return outcome;
      }),
  };
}

/** A link that was mailed is shown to nobody else, so that its use proves the address. Otherwise the inviter sends it. */
async function sendOrShow(
  { store, mailer, consoleUrl }: InvitationServiceOptions,
  organizationId: string,
  invitation: Invitation,
  token: string,
): Promise<CreatedInvitation> {
  if (mailer.kind === "none") return { ...invitation, token, mail: "none" };
  const { email: to, role, invitedBy: inviter } = invitation;
  // After the #, so that no server and no log sees the token.
  const link = `${consoleUrl}/invitation#${token}`;
  const organization = await store.organizationName(organizationId);
  try {
    await mailer.send(invitationMail({ to, link, organization, inviter, role, days: DAYS_OPEN }));
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    return { ...invitation, token, mail: "failed" };
  }
  if (mailer.kind === "mailbox") return { ...invitation, token, mail: "mailbox" };
  await store.markMailed(invitation.id);
  return { ...invitation, token: null, mail: "sent" };
}

function tooMany(what: string, waitSeconds: number): Error {
  const minutes = Math.ceil(waitSeconds / 60);
  return refuse(
    "TOO_MANY_REQUESTS",
    `Too many ${what}. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
  );
}
