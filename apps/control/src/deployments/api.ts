// Deployments as clients see them. Types only. Times are RFC 3339 UTC.
import type { ReleaseStep } from "@plinth/bundle/cell";
import type { Mutation, Query } from "../procedure.ts";

/** `queued`: the cell hasn't received it yet. The cell reports the other states. */
export type DeploymentStatus = "queued" | "received" | "migrating" | "active" | "failed" | "superseded";

export type DeploymentStep = ReleaseStep;

export interface DeploymentSummary {
  readonly id: string;
  readonly projectId: string;
  readonly proposalId: string;
  readonly releaseId: string;
  readonly status: DeploymentStatus;
  /** With the status `active`: the new version is served, but a step after the switch has failed. `resume` tries it again. */
  readonly error: string | null;
  /** Since when the cell has not answered. It is called again every few seconds. */
  readonly waitingSince: string | null;
  readonly createdAt: string;
  /** An active deployment may have steps left that run while requests are served. */
  readonly finishedAt: string | null;
}

export interface Deployment extends DeploymentSummary {
  readonly steps: readonly DeploymentStep[];
}

export type DeploymentProcedures = {
  create: Mutation<{ proposalId: string }, { deploymentId: string }>;
  /** Resumes what failed: a deployment that never went live, or the last steps of the live one. */
  resume: Mutation<{ deploymentId: string }, Deployment>;
  get: Query<{ deploymentId: string }, Deployment>;
  /** Newest first. */
  list: Query<{ projectId: string }, readonly DeploymentSummary[]>;
};
