// What a client sees of organizations and their members. Types alone.
import type { Mutation, Query } from "../procedure.ts";

/** An owner does everything; a viewer reads. */
export type MemberRole = "owner" | "viewer";

export interface OrganizationSummary {
  readonly id: string;
  readonly name: string;
  /** The caller's own role. */
  readonly role: MemberRole;
}

export interface Member {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly since: string;
}

export type OrganizationProcedures = {
  members: Query<{ organizationId: string }, readonly Member[]>;
  /** Adds a person who already has an account, or changes the role of a member. */
  addMember: Mutation<{ organizationId: string; email: string; role: MemberRole }, Member>;
  removeMember: Mutation<{ organizationId: string; personId: string }, { removed: true }>;
};
