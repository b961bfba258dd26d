// How a deployment has ended, or how far it is where that needs a word. In: the deployment and its proposal. Out: one notice, or
// nothing while it is simply under way. What can be done about it stands at the head of the page.
import type { Deployment, Proposal } from "@plinth/control/router";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { isUnderWay, isUnfinished } from "./progress.ts";

interface DeploymentNoticeProps {
  /** The project's address. */
  root: string;
  proposal: Proposal;
  deployment: Deployment;
  /** Whether it is what serves now. */
  isLive: boolean;
  /** Null for whoever may only read. */
  onEdit: (() => void) | null;
}

export function DeploymentNotice({ root, proposal, deployment, isLive, onEdit }: DeploymentNoticeProps) {
  if (deployment.waitingSince !== null && deployment.finishedAt === null) {
    return (
      <Notice tone="warn" title="The deployment waits for the runtime">
        The runtime has not answered since <Time at={deployment.waitingSince} />. It is asked again every few seconds,
        and the deployment goes on by itself once it answers. Nothing was switched: whatever is live stays live.
      </Notice>
    );
  }
  if (deployment.status === "failed") {
    return (
      <Notice
        tone="bad"
        title="The deployment failed"
        actions={
          onEdit ? (
            <Button size="small" onClick={onEdit}>
              Edit blueprint
            </Button>
          ) : null
        }
      >
        <p className="break-words">
          <MarkedText text={deployment.error ?? "The step marked below could not be done."} />
        </p>
        <p>
          {proposal.baseText === null
            ? "Nothing is live yet."
            : "The version before still serves; no request was lost."}{" "}
          {proposal.status === "approved"
            ? "Resume to go on from the failed step once the reason is gone, or edit the blueprint and propose that."
            : "This change can't be resumed any more; edit it and propose it again."}
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
