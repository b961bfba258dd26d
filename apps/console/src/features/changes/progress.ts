// The progress of a deployment. In: a deployment. Out: whether it still runs, and whether it can be resumed. Pure.
import type { Deployment, Proposal } from "@plinth/control/router";

type State = Pick<Deployment, "status" | "error" | "steps">;

/** A live deployment may have remaining steps, which run while it serves. */
export function isUnderWay({ status, error, steps }: State): boolean {
  if (status === "failed" || status === "superseded") return false;
  if (status !== "active") return true;
  return error === null && steps.some((step) => step.status === "pending" || step.status === "running");
}

/** The version is live, but a step after the switch has failed. */
export function isUnfinished({ status, error }: Pick<Deployment, "status" | "error">): boolean {
  return status === "active" && error !== null;
}

/** Before it is live, only while its proposal is approved; afterwards, with its remaining steps. */
export function canResume(proposal: Pick<Proposal, "status">, deployment: State, isLive: boolean): boolean {
  if (deployment.status === "failed") return proposal.status === "approved";
  return isUnfinished(deployment) && isLive;
}
