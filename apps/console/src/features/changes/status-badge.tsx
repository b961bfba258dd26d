// The states of proposals and deployments. In: a state. Out: its word and colour, the same everywhere.
import type { DeploymentStatus, DeploymentSummary, ProposalStatus } from "@plinth/control/router";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { isUnfinished } from "./progress.ts";

const proposalWords: Record<ProposalStatus, readonly [string, Tone]> = {
  open: ["Open", "accent"],
  approved: ["Approved", "accent"],
  deployed: ["Deployed", "good"],
  rejected: ["Rejected", "neutral"],
  stale: ["Outdated", "warn"],
};

const deploymentWords: Record<DeploymentStatus, readonly [string, Tone]> = {
  queued: ["Queued", "neutral"],
  received: ["Received", "accent"],
  migrating: ["Migrating", "accent"],
  active: ["Live", "good"],
  failed: ["Failed", "bad"],
  superseded: ["Replaced", "neutral"],
};

export function ProposalBadge({ status }: { status: ProposalStatus }) {
  const [word, tone] = proposalWords[status];
  return <Badge tone={tone}>{word}</Badge>;
}

/** `isLive`: whether it is what serves now; one that went live and was followed by another is not. */
export function DeploymentBadge({ deployment, isLive }: { deployment: DeploymentSummary; isLive: boolean }) {
  const [word, tone] = wordsOf(deployment, isLive);
  return <Badge tone={tone}>{word}</Badge>;
}

function wordsOf(deployment: DeploymentSummary, isLive: boolean): readonly [string, Tone] {
  if (deployment.status === "active" && !isLive) return deploymentWords.superseded;
  return isUnfinished(deployment) ? ["Live, unfinished", "bad"] : deploymentWords[deployment.status];
}
