// Invitations as clients see them. Types only. Times are RFC 3339 UTC.
import type { MemberRole, MemberScope } from "../organizations/api.ts";
import type { Mutation, Query } from "../procedure.ts";

export interface Invitation {
  readonly id: string;
  /** Only an account with this address can accept. */
  readonly email: string;
  readonly role: MemberRole;
  readonly scope: MemberScope;
  readonly invitedBy: { readonly name: string; readonly email: string };
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface CreatedInvitation extends Invitation {
  /** The secret part of the link, shown only here. Null if the link was mailed: then only the invited person has it. */
  readonly token: string | null;
  /** `mailbox`: stored on this machine, for a Plinth that sends no mail. `failed`: the mail server didn't accept it. */
  readonly mail: "sent" | "mailbox" | "failed" | "none";
}

/** The effect of accepting, shown to a person who has the link. */
export interface OpenInvitation {
  readonly organization: { readonly id: string; readonly name: string };
  readonly invitedBy: { readonly name: string; readonly email: string };
  readonly email: string;
  readonly role: MemberRole;
  readonly scope:
    | { readonly kind: "organization" }
    | { readonly kind: "projects"; readonly projects: readonly { readonly id: string; readonly slug: string }[] };
  readonly expiresAt: string;
  /** The caller is already a member, so accepting would do nothing. */
  readonly isMember: boolean;
  /** The caller's account has the invited address. Others can't accept. */
  readonly isForCaller: boolean;
}

export type InvitationProcedures = {
  /** Those that were neither accepted nor revoked, including expired ones. */
  list: Query<{ organizationId: string }, readonly Invitation[]>;
  /** Ends an earlier open invitation to the same address. The answer is the same whether or not the address has an account. */
  create: Mutation<{ organizationId: string; email: string; role: MemberRole; scope: MemberScope }, CreatedInvitation>;
  /** Creates a new link for the same person, role and scope, valid for another seven days. The old link ends. */
  renew: Mutation<{ organizationId: string; invitationId: string }, CreatedInvitation>;
  revoke: Mutation<{ organizationId: string; invitationId: string }, { revoked: true }>;
  /** A mutation, so that the token is never part of an address and never logged with one. It changes nothing. */
  open: Mutation<{ token: string }, OpenInvitation>;
  accept: Mutation<{ token: string }, { organizationId: string }>;
};
