// What a client sees of projects. Types alone. Times are RFC 3339 UTC.
import type { MemberRole, Rights } from "../organizations/api.ts";
import type { Mutation, Query } from "../procedure.ts";

export type EnvironmentKind = "development" | "preview" | "production";

/** What an environment is, beside being a project of its own. */
export interface EnvironmentFacts {
  readonly kind: EnvironmentKind;
  /** Unique in its project. That of a preview is free; the others are called what they are. */
  readonly name: string;
  /** The project that it belongs to: production's own id and name. */
  readonly projectId: string;
  readonly project: string;
}

export interface EnvironmentSummary {
  readonly id: string;
  /** What clients name it by. */
  readonly slug: string;
  readonly kind: EnvironmentKind;
  readonly name: string;
  readonly createdAt: string;
  readonly live: { readonly deployedAt: string } | null;
}

/** A project, which is its own production environment. */
export interface ProjectSummary {
  readonly id: string;
  readonly slug: string;
  readonly organizationId: string;
  readonly createdAt: string;
  readonly live: { readonly deployedAt: string } | null;
  /** Production first, then development, then previews by name. */
  readonly environments: readonly EnvironmentSummary[];
}

export interface Project {
  readonly id: string;
  readonly slug: string;
  readonly organizationId: string;
  /** The caller's role in the project's organization. */
  readonly role: MemberRole;
  readonly may: Rights;
  readonly environment: EnvironmentFacts;
  readonly createdAt: string;
  readonly live: {
    readonly versionId: string;
    readonly deploymentId: string;
    readonly hash: string;
    readonly deployedAt: string;
  } | null;
  /** Where apps send their requests: the public listener of the project's cell. */
  readonly apiUrl: string;
}

/** A deleted project that can still be restored. */
export interface DeletedProject {
  readonly id: string;
  readonly slug: string;
  readonly deletedAt: string;
  /** Null where the person is gone. */
  readonly deletedBy: string | null;
  readonly restorableUntil: string;
}

export interface ProjectStatus {
  readonly activeReleaseId: string | null;
  readonly bundleHash: string | null;
  readonly firstRequestAt: string | null;
  readonly lastRequestAt: string | null;
  readonly requests: number;
}

export type ProjectProcedures = {
  list: Query<{ organizationId: string }, readonly ProjectSummary[]>;
  create: Mutation<{ organizationId: string; slug: string }, Project>;
  get: Query<{ projectId: string }, Project>;
  status: Query<{ projectId: string }, ProjectStatus>;
  /** @param name The project's name, typed. Its API answers no more from now on; what it holds is erased once the days are over. */
  remove: Mutation<{ projectId: string; name: string }, { readonly restorableDays: number }>;
  deleted: Query<{ organizationId: string }, readonly DeletedProject[]>;
  restore: Mutation<{ organizationId: string; projectId: string }, { readonly projectId: string }>;
  /** Sets the roles of an existing user of the project's own app; so the first admin is named. */
  grantUser: Mutation<
    { projectId: string; email: string; roles: string[] },
    { email: string; roles: readonly string[] }
  >;
};
