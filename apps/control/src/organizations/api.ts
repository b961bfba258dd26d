// What a client sees of organizations and their members. Types alone.
import type { Mutation, Query } from "../procedure.ts";

/** What a member may do within the scope of the membership; `rights.ts` says which role may do what. */
export type MemberRole = "owner" | "admin" | "developer" | "viewer";

/** What a membership opens: the whole organization with the projects to come, or the named projects alone. */
export type MemberScope =
  | { readonly kind: "organization" }
  | { readonly kind: "projects"; readonly projectIds: readonly string[] };

/** What the caller may do beside reading; `rights.ts` says what each of them opens. */
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
  /** The caller's own scope. Only admins and owners of the whole organization create projects and name members. */
  readonly scope: MemberScope["kind"];
  /** In the organization itself: none for a member of named projects. */
  readonly may: Rights;
}

export interface Member {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  /** A member of named projects sees no others here. */
  readonly scope: MemberScope;
  readonly since: string;
}

export type OrganizationProcedures = {
  create: Mutation<{ name: string }, OrganizationSummary>;
  rename: Mutation<{ organizationId: string; name: string }, { name: string }>;
  /** Refused while it has projects, or deleted ones that can still be restored. */
  remove: Mutation<{ organizationId: string }, { removed: true }>;
  /** The last owner can't. */
  leave: Mutation<{ organizationId: string }, { removed: true }>;
  /** To a member of named projects: those members alone who can open one of them. */
  members: Query<{ organizationId: string }, readonly Member[]>;
  changeMember: Mutation<{ organizationId: string; personId: string; role: MemberRole; scope: MemberScope }, Member>;
  /** Also ends the open invitations that the person made, and those that are meant for them. */
  removeMember: Mutation<{ organizationId: string; personId: string }, { removed: true }>;
};
