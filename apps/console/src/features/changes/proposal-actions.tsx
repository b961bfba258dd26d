// What may be done with a proposal now. In: its state, that of its deployment, and how many consents are still owed. Out: the
// buttons that make sense. Approve is never a dead end: while something is owed, it leads there.
import type { Deployment, Proposal } from "@plinth/control/router";
import { Check, Rocket, RotateCw } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { canResume, isUnderWay } from "./progress.ts";

interface ProposalActionsProps {
  proposal: Proposal;
  deployment: Deployment | undefined;
  /** Whether that deployment is what serves now. */
  isLive: boolean;
  /** How many consents are still owed. */
  owed: number;
  approving: boolean;
  rejecting: boolean;
  deploying: boolean;
  resuming: boolean;
  onApprove: () => void;
  /** Approve was pressed while consents are owed. */
  onOwed: () => void;
  onReject: () => void;
  onDeploy: () => void;
  onResume: () => void;
}

export function ProposalActions(props: ProposalActionsProps) {
  const { proposal, deployment, owed } = props;
  if (proposal.status === "open") {
    return (
      <>
        <Button pending={props.rejecting} onClick={props.onReject}>
          Reject
        </Button>
        <Button
          variant="primary"
          pending={props.approving}
          disabled={proposal.plan.refused.length > 0}
          aria-disabled={owed > 0 || props.approving || undefined}
          onClick={props.approving ? undefined : owed > 0 ? props.onOwed : props.onApprove}
          icon={<Check aria-hidden />}
        >
          {owed > 0 ? `Approve: ${owed} to agree first` : "Approve"}
        </Button>
      </>
    );
  }
  if (deployment !== undefined && canResume(proposal, deployment, props.isLive)) {
    return (
      <>
        {proposal.status === "approved" ? (
          <Button pending={props.rejecting} onClick={props.onReject}>
            Reject
          </Button>
        ) : null}
        <Button variant="primary" pending={props.resuming} onClick={props.onResume} icon={<RotateCw aria-hidden />}>
          Resume
        </Button>
      </>
    );
  }
  if (proposal.status !== "approved") return null;
  const running = props.deploying || (deployment !== undefined && isUnderWay(deployment));
  return (
    <>
      {running ? null : (
        <Button pending={props.rejecting} onClick={props.onReject}>
          Reject
        </Button>
      )}
      <Button variant="primary" pending={running} onClick={props.onDeploy} icon={<Rocket aria-hidden />}>
        {running ? "Deploying" : "Deploy"}
      </Button>
    </>
  );
}
