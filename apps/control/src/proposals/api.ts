// What a client sees of proposals: a change to a project's blueprint, from upload to deployment. Types alone.
import type { Change, Diagnostic } from "@plinth/blueprint";
import type { MigrationStep } from "@plinth/bundle";
import type { Mutation, Query } from "../procedure.ts";

/** `stale`: what is live has changed since the proposal was made, so it must be made anew. */
export type ProposalStatus = "open" | "approved" | "rejected" | "deployed" | "stale";

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

export interface ProposalSummary {
  readonly id: string;
  readonly projectId: string;
  readonly status: ProposalStatus;
  readonly hash: string;
  readonly createdAt: string;
  readonly createdBy: PersonName;
  readonly approvedAt: string | null;
  readonly approvedBy: PersonName | null;
}

export interface Proposal extends ProposalSummary {
  readonly text: string;
  /** The live text it was compared with; null where nothing was live. */
  readonly baseText: string | null;
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
  readonly diff: readonly Change[];
  readonly plan: ProposedPlan;
  /** The latest deployment of this proposal. */
  readonly deploymentId: string | null;
}

export type ProposalProcedures = {
  /** A text with errors makes no proposal: BAD_REQUEST, the diagnostics in the error's `data.diagnostics`. */
  create: Mutation<{ projectId: string; text: string }, Proposal>;
  get: Query<{ proposalId: string }, Proposal>;
  /** Newest first. */
  list: Query<{ projectId: string }, readonly ProposalSummary[]>;
  /** `hash` must be the one that was shown. */
  approve: Mutation<{ proposalId: string; hash: string }, Proposal>;
  reject: Mutation<{ proposalId: string }, Proposal>;
};
