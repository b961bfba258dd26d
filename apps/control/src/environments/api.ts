// A project's environments as clients see them. Types only. Times are RFC 3339 UTC.
import type { Change } from "@plinth/blueprint";
import type { Mutation, Query } from "../procedure.ts";
import type { EnvironmentSummary } from "../projects/api.ts";
import type { Proposal } from "../proposals/api.ts";

export interface CreatedEnvironment extends EnvironmentSummary {
  /** The deployment of its first blueprint. Null if it begins empty. */
  readonly deploymentId: string | null;
  /** A secret key with the role `admin`, shown only here. Null if the caller can't create keys, or the cell didn't answer. */
  readonly key: string | null;
  /** The reason why its first blueprint isn't deployed. Null if there was no problem. */
  readonly problem: string | null;
}

/**
 * The expected effect of a promotion.
 * - `nothing_live`: the source has nothing to promote.
 * - `same`: both serve the same text.
 * - `ready`: the source has everything that the target has.
 * - `diverged`: the target has changes that the source lacks; promoting reverts them.
 * - `behind`: the target had the source's version earlier and has changed since.
 */
export type Standing = "nothing_live" | "same" | "ready" | "diverged" | "behind";

export interface ComparedEnvironment extends EnvironmentSummary {
  readonly text: string | null;
}

export interface Comparison {
  readonly from: ComparedEnvironment;
  readonly to: ComparedEnvironment;
  readonly standing: Standing;
  /** The changes from the target's live version to the source's. Null if they can't be compared. */
  readonly changes: readonly Change[] | null;
  /** The changes of the target alone since the two were last alike. Empty unless `diverged` or `behind`. */
  readonly takenBack: readonly Change[];
}

export type EnvironmentProcedures = {
  /** All environments of the project, production first. `projectId` can be any of them. */
  list: Query<{ projectId: string }, readonly EnvironmentSummary[]>;
  /**
   * The environment begins with the live blueprint of `projectId`, which is proposed, approved and deployed immediately; with
   * `empty`, it begins without a blueprint.
   */
  create: Mutation<
    { projectId: string; kind: "development" | "preview"; name?: string | undefined; empty?: boolean | undefined },
    CreatedEnvironment
  >;
  /** Deletes it with its data, keys and connections. Production can't be deleted this way. */
  delete: Mutation<{ projectId: string }, { deleted: true }>;
  compare: Query<{ projectId: string; fromProjectId: string }, Comparison>;
  /**
   * Proposes the live version of `fromProjectId` in `projectId`.
   * @param input.overwrite Required if the target has changes that the source lacks.
   */
  promote: Mutation<{ projectId: string; fromProjectId: string; overwrite?: boolean | undefined }, Proposal>;
};
