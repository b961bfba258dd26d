// The release of a project that answers requests now, and the registry where it is found. Types only.
import type { Bundle, ProjectId } from "@plinth/bundle";

/** The part of a bundle that requests need. The rest is large and rarely used: it stays in the cell's tables. */
export type ServedBundle = Omit<Bundle, "project" | "tests" | "openapi" | "sdkTypes">;

/** Cached values by name, and the function to call when they grow. */
export interface Kept {
  readonly items: Map<string, unknown>;
  readonly grow: (bytes: number) => void;
}

/**
 * The release of a project that answers requests now. A reload creates a new object, so caches end with the old one.
 */
export interface ActiveRelease {
  readonly projectId: ProjectId;
  readonly slug: string;
  readonly releaseId: string;
  readonly bundle: ServedBundle;
  /** The quoted identifier of the project's schema, for use in SQL. */
  readonly schema: string;
  /** Values derived from the bundle alone. Projects with equal bundles share them. */
  readonly plans: Kept;
  /** Values derived for this project, such as its statements. */
  readonly own: Kept;
}

export interface ReleaseRegistry {
  /**
   * The active release, loaded from the cell's tables on first use (single-flight); null if nothing is deployed.
   * @throws Fault `unavailable` if the deployed release has a format that this version can't read.
   */
  get(projectId: ProjectId): Promise<ActiveRelease | null>;
  /** Answers from memory only; undefined if nothing is cached or nothing is deployed. */
  peek(projectId: ProjectId): ActiveRelease | undefined;
  /** The project's name, also without a deployment; null if the cell doesn't know the project. */
  nameOf(projectId: ProjectId): Promise<string | null>;
  /** Whether the project is deleted, but can still be restored. */
  isSuspended(projectId: ProjectId): Promise<boolean>;
  /** Reads the tables again, whatever is cached. */
  reload(projectId: ProjectId): Promise<ActiveRelease | null>;
}
