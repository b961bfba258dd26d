// Proposals as clients see them: a change of a project's blueprint, from upload to deployment. Types only.
import type { Change, ConsentKind, Diagnostic } from "@plinth/blueprint";
import type { MigrationStep } from "@plinth/bundle";
import type { PlanMeasures, StepMeasure } from "@plinth/bundle/cell";
import type { Mutation, Query } from "../procedure.ts";
import type { EnvironmentKind } from "../projects/api.ts";

/** `stale`: the live version has changed since the proposal was created, or the change is judged more strictly now. `renew` it. */
export type ProposalStatus = "open" | "approved" | "rejected" | "deployed" | "stale";

/**
 * The state of a change. `unfinished`: live, but a step after the switch has failed. `failed`: never went live. `replaced`: was
 * live. `outdated`: another change has gone live since it was proposed.
 */
export type ChangeState =
  | "open"
  | "approved"
  | "deploying"
  | "live"
  | "unfinished"
  | "failed"
  | "replaced"
  | "rejected"
  | "outdated";

/** A change in the timeline. */
export interface TimelineEntry {
  /** The id of the proposal. */
  readonly id: string;
  readonly versionId: string;
  /** Counts up within the project. */
  readonly number: number;
  readonly title: string;
  /** The kinds of consents that it requires, each once. */
  readonly risks: readonly ConsentKind[];
  readonly state: ChangeState;
  /** The reason of the failure, or of the failed step. */
  readonly error: string | null;
  /** Since when its deployment waits for a cell that doesn't answer. */
  readonly waitingSince: string | null;
  readonly createdAt: string;
  readonly createdBy: PersonName;
  readonly deployedAt: string | null;
  /** The environment that it was promoted from. Null if it was created in its own environment. */
  readonly promotedFrom: Pick<PromotedFrom, "kind" | "name"> | null;
  /** `ai` if an AI wrote any part of it. */
  readonly author: "person" | "ai";
}

export interface Timeline {
  readonly changes: readonly TimelineEntry[];
  /** `before` of the next page. Null if this is the last one. */
  readonly next: number | null;
}

export interface TimelineFilter {
  readonly states?: readonly ChangeState[] | undefined;
  /** A part of the title, or a number. */
  readonly search?: string | undefined;
  readonly before?: number | undefined;
}

export type { PlanMeasures, StepMeasure };

export interface ProposedPlan {
  readonly steps: readonly MigrationStep[];
  /** The parts that can't be migrated, with reasons. A proposal with such parts can't be approved. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

export interface PersonName {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** The origin of a promoted proposal's text. The environment may no longer exist. */
export interface PromotedFrom {
  readonly environmentId: string;
  readonly kind: EnvironmentKind;
  readonly name: string;
  readonly versionId: string;
  readonly deploymentId: string;
  /** The hash of the text. */
  readonly hash: string;
  readonly deployedAt: string;
  /** The changes of the target alone that the proposal reverts, a sentence each. */
  readonly takesBack: readonly string[];
}

export interface ProposalSummary {
  readonly id: string;
  readonly projectId: string;
  readonly number: number;
  readonly title: string;
  /** The version with its text. */
  readonly versionId: string;
  readonly status: ProposalStatus;
  readonly state: ChangeState;
  readonly hash: string;
  readonly createdAt: string;
  readonly createdBy: PersonName;
  readonly approvedAt: string | null;
  readonly approvedBy: PersonName | null;
  /** Null if the proposal was created in its own environment. */
  readonly promotedFrom: PromotedFrom | null;
}

export interface Proposal extends ProposalSummary {
  readonly text: string;
  /** The version that was live at that time. */
  readonly baseVersionId: string | null;
  /** The live text that it was compared with. Null if nothing was live. */
  readonly baseText: string | null;
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
  readonly diff: readonly Change[];
  readonly plan: ProposedPlan;
  /**
   * The author of the change; `ai` if an AI wrote any part of it. Neither an AI nor its part in a person's change can touch the
   * protected core.
   */
  readonly author: "person" | "ai";
  /** The places that an AI wrote, such as `entities.note.fields.body`; at most 100. */
  readonly aiParts: readonly string[];
  /** Required consents, as `<kind> <path>`: `destructive listing.price`. Sorted. */
  readonly consents: readonly string[];
  /** The earlier version that it restores. Null if its text is new. */
  readonly fromVersionId: string | null;
  /** What the earlier version's text can't restore, a sentence each. Empty for other proposals. */
  readonly losses: readonly string[];
  /** Measurements of the plan on the live database. Null if nothing is live, or if the cell didn't answer. */
  readonly measures: PlanMeasures | null;
  /** Null if it isn't rejected. */
  readonly rejected: { readonly by: PersonName; readonly at: string } | null;
  /** The latest deployment of this proposal. */
  readonly deploymentId: string | null;
}

/** The parts of a proposal that a preview of a text has. */
export type ProposalPreview = Pick<Proposal, "text" | "diff" | "plan" | "consents" | "measures">;

export type ProposalProcedures = {
  /**
   * Creates a proposal. A text with errors is BAD_REQUEST, with the diagnostics in the error's `data.diagnostics`. If there is no
   * title, the diff gives one.
   */
  create: Mutation<
    {
      projectId: string;
      text: string;
      title?: string | undefined;
      /** @deprecated The access token decides it: an AI has a token for programs. `ai` with another credential is BAD_REQUEST. */
      author?: "person" | "ai" | undefined;
    },
    Proposal
  >;
  /** Like `create`, but stores nothing. It is a mutation because a text is too long for a URL. */
  preview: Mutation<{ projectId: string; text: string }, ProposalPreview>;
  /** Proposes an earlier version's text again. `losses` lists what it can't restore. */
  createFromVersion: Mutation<{ projectId: string; versionId: string }, Proposal>;
  /**
   * Creates another proposal for a stale one, compared with the current live version. A promotion is promoted again, under the same
   * conditions as the first time. Any other text is merged with the live text; CONFLICT if both changed the same lines.
   */
  renew: Mutation<{ proposalId: string }, Proposal>;
  /** Measures the plan on the live database again. Only while the proposal is open. */
  measure: Mutation<{ proposalId: string }, Proposal>;
  get: Query<{ proposalId: string }, Proposal>;
  /** Newest first. */
  list: Query<{ projectId: string }, readonly ProposalSummary[]>;
  /** Every change with its state, newest first, in pages. */
  timeline: Query<{ projectId: string } & TimelineFilter, Timeline>;
  rename: Mutation<{ proposalId: string; title: string }, Proposal>;
  /** `hash` must be the one that was shown, and `consents` exactly the required ones. */
  approve: Mutation<{ proposalId: string; hash: string; consents: readonly string[] }, Proposal>;
  reject: Mutation<{ proposalId: string }, Proposal>;
};
