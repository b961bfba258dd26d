// How far a deployment is. In: a deployment. Out: whether it goes on, and what of it may be tried again. Pure.
import type { Deployment, Proposal } from "@plinth/control/router";

type State = Pick<Deployment, "status" | "error" | "steps">;

/** A live deployment may have steps left that run beside the traffic. */
export function isUnderWay({ status, error, steps }: State): boolean {
  if (status === "failed" || status === "superseded") return false;
  if (status !== "active") return true;
  return error === null && steps.some((step) => step.status === "pending" || step.status === "running");
}

/** Live, but not whole: steps after the switch are left, and one of them has failed. */
export function isUnfinished({ status, error }: Pick<Deployment, "status" | "error">): boolean {
  return status === "active" && error !== null;
}

/** What never went live goes on while its proposal is still approved; what is live goes on with its last steps. */
export function canResume(proposal: Pick<Proposal, "status">, deployment: State, isLive: boolean): boolean {
  if (deployment.status === "failed") return proposal.status === "approved";
  return isUnfinished(deployment) && isLive;
}
