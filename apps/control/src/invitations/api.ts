// What a client sees of invitations. Types alone. Times are RFC 3339 UTC.
import type { MemberRole, MemberScope } from "../organizations/api.ts";
import type { Mutation, Query } from "../procedure.ts";

export interface Invitation {
  readonly id: string;
  /** Whom it is meant for, as the inviter wrote it. */
  readonly email: string;
  readonly role: MemberRole;
  readonly scope: MemberScope;
  readonly invitedBy: { readonly name: string; readonly email: string };
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface CreatedInvitation extends Invitation {
  /** The secret part of the link, told this once. Whoever has it and is signed in can accept. */
  readonly token: string;
}

/** What accepting would do, told to whoever has the link. */
export interface OpenInvitation {
  readonly organization: { readonly id: string; readonly name: string };
  readonly invitedBy: { readonly name: string; readonly email: string };
  readonly email: string;
  readonly role: MemberRole;
  readonly scope:
    | { readonly kind: "organization" }
    | { readonly kind: "projects"; readonly projects: readonly { readonly id: string; readonly slug: string }[] };
  readonly expiresAt: string;
  /** The caller is a member already, so there is nothing to accept. */
  readonly isMember: boolean;
}

export type InvitationProcedures = {
  /** Those that nobody has accepted or revoked, with those that have expired. */
  list: Query<{ organizationId: string }, readonly Invitation[]>;
  /** Ends an earlier open one to the same address. Answers alike whether anybody has an account with it. */
  create: Mutation<{ organizationId: string; email: string; role: MemberRole; scope: MemberScope }, CreatedInvitation>;
  /** A new link for the same person, role and scope, and seven days more; the old link ends. */
  renew: Mutation<{ organizationId: string; invitationId: string }, CreatedInvitation>;
  revoke: Mutation<{ organizationId: string; invitationId: string }, { revoked: true }>;
  /** A mutation, so that the token stands in no address and no log of addresses. It changes nothing. */
  open: Mutation<{ token: string }, OpenInvitation>;
  accept: Mutation<{ token: string }, { organizationId: string }>;
};
