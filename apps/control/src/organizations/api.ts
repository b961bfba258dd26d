// Organizations and their members as clients see them. Types only.
import type { Mutation, Query } from "../procedure.ts";

/** The rights of a member within the scope of the membership. The table is in `rights.ts`. */
export type MemberRole = "owner" | "admin" | "developer" | "viewer";

/** The scope of a membership: the whole organization with all future projects, or only the named projects. */
export type MemberScope =
  | { readonly kind: "organization" }
  | { readonly kind: "projects"; readonly projectIds: readonly string[] };

/** The caller's rights in addition to reading. `rights.ts` describes each. */
export interface Rights {
  readonly write: boolean;
  readonly manage: boolean;
  readonly own: boolean;
}

export interface OrganizationSummary {
  readonly id: string;
  readonly name: string;
  /** The caller's own role. */
  readonly role: MemberRole;
  /** The caller's own scope. Only admins and owners of the whole organization can create projects and manage members. */
  readonly scope: MemberScope["kind"];
  /** Rights in the organization itself. A member of named projects has none. */
  readonly may: Rights;
}

export interface Member {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  /** A member of named projects only sees those here. */
  readonly scope: MemberScope;
  readonly since: string;
}

export type OrganizationProcedures = {
  create: Mutation<{ name: string }, OrganizationSummary>;
  rename: Mutation<{ organizationId: string; name: string }, { name: string }>;
  /** Refused while the organization has projects, including deleted ones that can still be restored. */
  remove: Mutation<{ organizationId: string }, { removed: true }>;
  /** Refused to the last owner. */
  leave: Mutation<{ organizationId: string }, { removed: true }>;
  /** A member of named projects only gets the members who can open one of them. */
  members: Query<{ organizationId: string }, readonly Member[]>;
  changeMember: Mutation<{ organizationId: string; personId: string; role: MemberRole; scope: MemberScope }, Member>;
  /** Also ends the open invitations that the person created, and those to the person. */
  removeMember: Mutation<{ organizationId: string; personId: string }, { removed: true }>;
};
