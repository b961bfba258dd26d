// What may be done with a proposal now. In: its state and that of its deployment. Out: the buttons that make sense.
import type { Deployment, Proposal } from "@plinth/control/router";
import { Check, Rocket } from "lucide-react";
import { Button } from "../../ui/button.tsx";

interface ProposalActionsProps {
  proposal: Proposal;
  deployment: Deployment | undefined;
  /** Whether every consent that is owed has been given. */
  agreed: boolean;
  approving: boolean;
  rejecting: boolean;
  deploying: boolean;
  onApprove: () => void;
  onReject: () => void;
  onDeploy: () => void;
}

export function ProposalActions(props: ProposalActionsProps) {
  const { proposal, deployment } = props;
  const possible = proposal.plan.refused.length === 0;
  if (proposal.status === "open") {
    return (
      <>
        <Button pending={props.rejecting} onClick={props.onReject}>
          Reject
        </Button>
        <Button
          variant="primary"
          pending={props.approving}
          disabled={!possible || !props.agreed}
          title={possible && !props.agreed ? "Agree to what is listed first." : undefined}
          onClick={props.onApprove}
          icon={<Check aria-hidden />}
        >
          Approve
        </Button>
      </>
    );
  }
  if (proposal.status !== "approved") return null;
  const running = props.deploying || (deployment !== undefined && deployment.status !== "failed");
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
