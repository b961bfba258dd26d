// The buttons for a proposal. In: its state, the state of its deployment, and the number of missing consents. Out: the buttons that apply.
// While consents are missing, Approve moves the focus to the first of them.
import type { Deployment, Proposal } from "@plinth/control/router";
import { Check, Rocket, RotateCw } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { canResume, isUnderWay } from "./progress.ts";

interface ProposalActionsProps {
  proposal: Proposal;
  deployment: Deployment | undefined;
  /** Whether the version of this deployment serves now. */
  isLive: boolean;
  missingConsents: number;
  /** False for people who can't give consents: then they can't approve a change that requires some. */
  mayConsent: boolean;
  approving: boolean;
  rejecting: boolean;
  deploying: boolean;
  resuming: boolean;
  onApprove: () => void;
  /** Called instead of `onApprove` while consents are missing. */
  onShowMissing: () => void;
  onReject: () => void;
  onDeploy: () => void;
  onResume: () => void;
}

export function ProposalActions(props: ProposalActionsProps) {
  const { proposal, deployment, missingConsents, mayConsent } = props;
  if (proposal.status === "open") {
    return (
      <>
        <Button pending={props.rejecting} onClick={props.onReject}>
          Reject
        </Button>
        {missingConsents > 0 && !mayConsent ? null : (
          <Button
            variant="primary"
            pending={props.approving}
            disabled={proposal.plan.refused.length > 0}
            aria-disabled={missingConsents > 0 || props.approving || undefined}
            onClick={props.approving ? undefined : missingConsents > 0 ? props.onShowMissing : props.onApprove}
            icon={<Check aria-hidden />}
          >
            {missingConsents > 0
              ? `Approve: ${missingConsents} ${missingConsents === 1 ? "consent" : "consents"} missing`
              : "Approve"}
          </Button>
        )}
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
