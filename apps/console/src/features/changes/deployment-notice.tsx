// How a deployment has ended, or how far it is where that needs a word. In: the deployment and its proposal. Out: one notice, or
// nothing while it is simply under way. What can be done about it stands at the head of the page.
import type { Deployment, Proposal } from "@plinth/control/router";
import { ButtonLink } from "../../ui/button.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { isUnderWay, isUnfinished } from "./progress.ts";

interface DeploymentNoticeProps {
  /** The project's address. */
  root: string;
  proposal: Proposal;
  deployment: Deployment;
  /** Whether it is what serves now. */
  isLive: boolean;
}

export function DeploymentNotice({ root, proposal, deployment, isLive }: DeploymentNoticeProps) {
  if (deployment.status === "failed") {
    return (
      <Notice tone="bad" title="The deployment failed">
        <p className="break-words">
          <MarkedText text={deployment.error ?? "The step marked below could not be done."} />
        </p>
        <p>
          What was live before still is.{" "}
          {proposal.status === "approved"
            ? "Resume to go on from the failed step, or reject this change and propose another."
            : "This change can't be resumed any more; propose it again."}
        </p>
      </Notice>
    );
  }
  if (deployment.status !== "active" || !isLive) return null;
  if (isUnfinished(deployment)) {
    return (
      <Notice tone="bad" title="This version is live, but its last steps failed">
        <p className="break-words">
          <MarkedText text={deployment.error ?? ""} />
        </p>
        <p>The API serves this version. Resume to do what is left: no request is turned away meanwhile.</p>
      </Notice>
    );
  }
  if (isUnderWay(deployment)) {
    return (
      <Notice tone="good" title="This version is live">
        The API serves it already. The steps that are left run beside the traffic.
      </Notice>
    );
  }
  return (
    <Notice
      tone="good"
      title="This version is live"
      actions={
        <>
          <ButtonLink href={`${root}/keys`} size="small">
            Make a key
          </ButtonLink>
          <ButtonLink href={root} size="small" variant="primary">
            Call the API
          </ButtonLink>
        </>
      }
    >
      The API serves it already.{proposal.baseText === null ? " Next, make a key and send a request." : null}
    </Notice>
  );
}
