// Invitations of new members. In: a member who invites, or a signed-in person with the token of a link. Out: the organization and
// role of the invitation, or a membership. An address is not enough to join: the token is needed, and it is shown once.
import { createHash, randomBytes } from "node:crypto";
import { notFound, refuse } from "../failure.ts";
import type { OrganizationAccess } from "../organizations/access.ts";
import type { MemberRole, MemberScope } from "../organizations/api.ts";
import type { Attempts } from "../people/attempts.ts";
import type { Person } from "../people/auth.ts";
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
  /** New invitations, by person. */
  readonly made: Attempts;
  /** Tokens without an open invitation, by person. */
  readonly missed: Attempts;
}

const DAYS_OPEN = 7;
const NOT_OPEN = "This invitation is not open: it was used or revoked, or it has expired. Ask for a new link.";

export function createInvitationService({ store, made, missed }: InvitationServiceOptions): InvitationService {
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
    const token = randomBytes(32).toString("base64url");
    const outcome = await store.create({
      organizationId: organization.id,
      email: email.toLowerCase(),
      role,
      scope,
      invitedBy: by.id,
      tokenHash: storedToken(token),
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
        return { ...outcome, token };
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

    open: (by, token) => withToken(by, () => store.open(storedToken(token), by.id)),

    accept: (by, token) =>
      withToken(by, async () => {
        const outcome = await store.accept(storedToken(token), by.id);
        if (outcome === "is_member")
          throw refuse("CONFLICT", "You are already a member of this organization. An owner can change your access.");
        return outcome;
      }),
  };
}

/** The stored form of a token. A token has 256 random bits, so SHA-256 is enough. */
function storedToken(token: string): string {
  return `sha256:${createHash("sha256").update(token).digest("hex")}`;
}

function tooMany(what: string, waitSeconds: number): Error {
  const minutes = Math.ceil(waitSeconds / 60);
  return refuse(
    "TOO_MANY_REQUESTS",
    `Too many ${what}. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`,
  );
}
