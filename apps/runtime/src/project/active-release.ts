// The release of a project that answers requests now, and where it is found. Types alone.
import type { Bundle, ProjectId } from "@plinth/bundle";

/** What of a bundle requests are served from. The rest is large and seldom asked for: it stays in the cell's tables. */
export type ServedBundle = Omit<Bundle, "project" | "tests" | "openapi" | "sdkTypes">;

/** What is kept, by name, and whom to tell that it takes more memory now. */
export interface Kept {
  readonly items: Map<string, unknown>;
  readonly grow: (bytes: number) => void;
}

/** The release of a project that answers requests now. A reload makes a new object, so caches die with the old one. */
export interface ActiveRelease {
  readonly projectId: ProjectId;
  readonly slug: string;
  readonly releaseId: string;
  readonly bundle: ServedBundle;
  /** The quoted identifier of the project's schema, ready to stand in SQL. */
  readonly schema: string;
  /** What requests derive from the bundle alone; projects whose bundles are equal share it. */
  readonly plans: Kept;
  /** What they derive for this project: its statements. */
  readonly own: Kept;
}

export interface ReleaseRegistry {
  /**
   * The active release, loaded from the cell's tables on first use (single-flight); null where nothing is deployed.
   * @throws Fault `unavailable` where what is deployed is of a format that this version can't read.
   */
  get(projectId: ProjectId): Promise<ActiveRelease | null>;
  /** Answers from memory alone; undefined where nothing is cached or nothing is deployed. */
  peek(projectId: ProjectId): ActiveRelease | undefined;
  /** The project's name, also where nothing is deployed; null where the cell doesn't know the project. */
  nameOf(projectId: ProjectId): Promise<string | null>;
  /** Whether the project was deleted, and can still come back. */
  isSuspended(projectId: ProjectId): Promise<boolean>;
  /** Reads the tables again, whatever is cached. */
  reload(projectId: ProjectId): Promise<ActiveRelease | null>;
}
