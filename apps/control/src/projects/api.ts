// Projects as clients see them. Types only. Times are RFC 3339 UTC.
import type { MemberRole, Rights } from "../organizations/api.ts";
import type { Mutation, Query } from "../procedure.ts";

export type EnvironmentKind = "development" | "preview" | "production";

/** The properties of an environment in addition to those of a project. */
export interface EnvironmentFacts {
  readonly kind: EnvironmentKind;
  /** Unique in its project. A preview can have any name; the others are named after their kind. */
  readonly name: string;
  /** The project that it belongs to: the id and name of production. */
  readonly projectId: string;
  readonly project: string;
}

export interface EnvironmentSummary {
  readonly id: string;
  /** The name that clients use for it. */
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
  /** The address for requests of apps: the public listener of the project's cell. */
  readonly apiUrl: string;
}

/** A deleted project that can still be restored. */
export interface DeletedProject {
  readonly id: string;
  readonly slug: string;
  readonly deletedAt: string;
  /** Null if the person no longer exists. */
  readonly deletedBy: string | null;
  readonly restorableUntil: string;
}

export interface ProjectStatus {
  readonly activeReleaseId: string | null;
  readonly bundleHash: string | null;
  readonly firstRequestAt: string | null;
  readonly lastRequestAt: string | null;
  readonly requests: number;
  /** Id of an API key > when it was last used, to the second. A key that was never used is absent. */
  readonly keysUsedAt: Readonly<Record<string, string>>;
}

export type ProjectProcedures = {
  list: Query<{ organizationId: string }, readonly ProjectSummary[]>;
  create: Mutation<{ organizationId: string; slug: string }, Project>;
  get: Query<{ projectId: string }, Project>;
  status: Query<{ projectId: string }, ProjectStatus>;
  /**
   * Stops the project's API immediately, and erases its data after the days in which it can be restored. @param name The
   * project's name, typed by the caller.
   */
  remove: Mutation<{ projectId: string; name: string }, { readonly restorableDays: number }>;
  deleted: Query<{ organizationId: string }, readonly DeletedProject[]>;
  restore: Mutation<{ organizationId: string; projectId: string }, { readonly projectId: string }>;
  /** Sets the roles of an existing user of the project's own app, for example of the first admin. */
  grantUser: Mutation<
    { projectId: string; email: string; roles: string[] },
    { email: string; roles: readonly string[] }
  >;
};
