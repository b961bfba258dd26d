// What a client sees of proposals: a change to a project's blueprint, from upload to deployment. Types alone.
import type { Change, Diagnostic } from "@plinth/blueprint";
import type { MigrationStep } from "@plinth/bundle";
import type { PlanMeasures, StepMeasure } from "@plinth/bundle/cell";
import type { Mutation, Query } from "../procedure.ts";
import type { EnvironmentKind } from "../projects/api.ts";

/** `stale`: what is live has changed since the proposal was made, so it must be made anew. */
export type ProposalStatus = "open" | "approved" | "rejected" | "deployed" | "stale";

/**
 * Where a change is, from proposal to live. `unfinished`: live, but a step after the switch has failed. `failed`: never went
 * live. `replaced`: was live. `outdated`: something else has gone live since it was proposed.
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

/** A change as the timeline shows it. */
export interface TimelineEntry {
  /** The proposal's. */
  readonly id: string;
  readonly versionId: string;
  /** Counts up within the project. */
  readonly number: number;
  readonly title: string;
  readonly state: ChangeState;
  /** Why it failed, or what of it did. */
  readonly error: string | null;
  /** Since when its deployment waits for a cell that doesn't answer. */
  readonly waitingSince: string | null;
  readonly createdAt: string;
  readonly createdBy: PersonName;
  readonly deployedAt: string | null;
  /** The environment that it was promoted from; null where it was made in its own. */
  readonly promotedFrom: Pick<PromotedFrom, "kind" | "name"> | null;
}

export interface Timeline {
  readonly changes: readonly TimelineEntry[];
  /** `before` of the next page; null where this is the last one. */
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
  /** What can't be migrated, and why; a proposal that has any can't be approved. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
}

export interface PersonName {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Where a promoted proposal's text comes from. The environment may be gone by now. */
export interface PromotedFrom {
  readonly environmentId: string;
  readonly kind: EnvironmentKind;
  readonly name: string;
  readonly versionId: string;
  readonly deploymentId: string;
  /** Of the text. */
  readonly hash: string;
  readonly deployedAt: string;
  /** What only the target has and the proposal takes back, a sentence each. */
  readonly takesBack: readonly string[];
}

export interface ProposalSummary {
  readonly id: string;
  readonly projectId: string;
  readonly number: number;
  readonly title: string;
  /** The version that its text is. */
  readonly versionId: string;
  readonly status: ProposalStatus;
  readonly state: ChangeState;
  readonly hash: string;
  readonly createdAt: string;
  readonly createdBy: PersonName;
  readonly approvedAt: string | null;
  readonly approvedBy: PersonName | null;
  /** Null for a proposal that was made in its own environment. */
  readonly promotedFrom: PromotedFrom | null;
}

export interface Proposal extends ProposalSummary {
  readonly text: string;
  /** The version that was live then. */
  readonly baseVersionId: string | null;
  /** The live text it was compared with; null where nothing was live. */
  readonly baseText: string | null;
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
  readonly diff: readonly Change[];
  readonly plan: ProposedPlan;
  /** Who wrote the change: an AI's must leave the protected core alone. */
  readonly author: "person" | "ai";
  /** Consents that an approval owes, as `<kind> <path>`: `destructive listing.price`. Sorted. */
  readonly consents: readonly string[];
  /** The earlier version that it goes back to; null for a text that was written for it. */
  readonly fromVersionId: string | null;
  /** What an earlier version's text can't bring back, a sentence each; empty for any other proposal. */
  readonly losses: readonly string[];
  /** What the live database says about the plan; null where nothing is live, or the cell could not be asked. */
  readonly measures: PlanMeasures | null;
  /** The latest deployment of this proposal. */
  readonly deploymentId: string | null;
}

/** What a proposal of a text would say. */
export type ProposalPreview = Pick<Proposal, "text" | "diff" | "plan" | "consents" | "measures">;

export type ProposalProcedures = {
  /**
   * A text with errors makes no proposal: BAD_REQUEST, the diagnostics in the error's `data.diagnostics`. Without a title it
   * gets one from its diff.
   */
  create: Mutation<
    { projectId: string; text: string; title?: string | undefined; author?: "person" | "ai" | undefined },
    Proposal
  >;
  /** As `create`, but nothing is stored. A mutation only because a text is too long for the address of a query. */
  preview: Mutation<{ projectId: string; text: string }, ProposalPreview>;
  /** Proposes an earlier version's text again; what it can't bring back stands in `losses`. */
  createFromVersion: Mutation<{ projectId: string; versionId: string }, Proposal>;
  /** Compares a stale proposal with what is live now: another proposal of the same text, origin and author. */
  renew: Mutation<{ proposalId: string }, Proposal>;
  /** Asks the live database anew. Only while the proposal is open. */
  measure: Mutation<{ proposalId: string }, Proposal>;
  get: Query<{ proposalId: string }, Proposal>;
  /** Newest first. */
  list: Query<{ projectId: string }, readonly ProposalSummary[]>;
  /** Every change with its state, newest first, in pages. */
  timeline: Query<{ projectId: string } & TimelineFilter, Timeline>;
  rename: Mutation<{ proposalId: string; title: string }, Proposal>;
  /** `hash` must be the one that was shown, `consents` exactly those that are owed. */
  approve: Mutation<{ proposalId: string; hash: string; consents: readonly string[] }, Proposal>;
  reject: Mutation<{ proposalId: string }, Proposal>;
};
