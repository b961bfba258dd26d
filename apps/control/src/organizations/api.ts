// What a client sees of organizations and their members. Types alone.
import type { Mutation, Query } from "../procedure.ts";

/** Within the scope of the membership, an owner does everything and a viewer reads. */
export type MemberRole = "owner" | "viewer";

/** What a membership opens: the whole organization with the projects to come, or the named projects alone. */
export type MemberScope =
  | { readonly kind: "organization" }
  | { readonly kind: "projects"; readonly projectIds: readonly string[] };

export interface OrganizationSummary {
  readonly id: string;
  readonly name: string;
  /** The caller's own role. */
  readonly role: MemberRole;
  /** The caller's own scope. Only an owner of the whole organization creates projects and names members. */
  readonly scope: MemberScope["kind"];
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
  /** To a member of named projects: those members alone who can open one of them. */
  members: Query<{ organizationId: string }, readonly Member[]>;
  changeMember: Mutation<{ organizationId: string; personId: string; role: MemberRole; scope: MemberScope }, Member>;
  /** Also ends the open invitations that the person made, and those that are meant for them. */
  removeMember: Mutation<{ organizationId: string; personId: string }, { removed: true }>;
};
