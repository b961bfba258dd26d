// What a client sees of a project's environments. Types alone. Times are RFC 3339 UTC.
import type { Change } from "@plinth/blueprint";
import type { Mutation, Query } from "../procedure.ts";
import type { EnvironmentSummary } from "../projects/api.ts";
import type { Proposal } from "../proposals/api.ts";

export interface CreatedEnvironment extends EnvironmentSummary {
  /** Of its first blueprint, which is on its way; null where it begins empty. */
  readonly deploymentId: string | null;
  /** A secret key with the role `admin`, shown here alone; null where the caller may not make keys, or the cell could not be asked. */
  readonly key: string | null;
  /** Why the blueprint that it was to begin with isn't deployed; null where nothing went wrong. */
  readonly problem: string | null;
}

/**
 * What promoting would find.
 * - `nothing_live`: the source has nothing to promote.
 * - `same`: both serve the same text.
 * - `ready`: the source has everything that the target has.
 * - `diverged`: the target has changes that the source lacks; promoting takes them back.
 * - `behind`: the target has had the source's version before and has gone on since.
 */
export type Standing = "nothing_live" | "same" | "ready" | "diverged" | "behind";

export interface ComparedEnvironment extends EnvironmentSummary {
  readonly text: string | null;
}

export interface Comparison {
  readonly from: ComparedEnvironment;
  readonly to: ComparedEnvironment;
  readonly standing: Standing;
  /** From what is live in the target to what is live in the source; null where they can't be compared. */
  readonly changes: readonly Change[] | null;
  /** What only the target has, as changes since the two were last alike; empty unless `diverged` or `behind`. */
  readonly takenBack: readonly Change[];
}

export type EnvironmentProcedures = {
  /** Of the project that `projectId` belongs to, whichever of its environments it is: production first. */
  list: Query<{ projectId: string }, readonly EnvironmentSummary[]>;
  /** Begins with what is live in `projectId`, proposed, approved and deployed at once; with nothing where `empty` is set. */
  create: Mutation<
    { projectId: string; kind: "development" | "preview"; name?: string | undefined; empty?: boolean | undefined },
    CreatedEnvironment
  >;
  /** With its data, keys and connections. Production can't be deleted this way. */
  delete: Mutation<{ projectId: string }, { deleted: true }>;
  compare: Query<{ projectId: string; fromProjectId: string }, Comparison>;
  /**
   * Proposes in `projectId` what is live in `fromProjectId`.
   * @param input.overwrite Needed where the target has changes that the source lacks.
   */
  promote: Mutation<{ projectId: string; fromProjectId: string; overwrite?: boolean | undefined }, Proposal>;
};
