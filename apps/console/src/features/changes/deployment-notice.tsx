// The result of a deployment, or its state if that needs an explanation. In: the deployment and its proposal. Out: one notice, or nothing
// while it simply runs. The buttons to act on it are in the page's header.
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
  /** Whether its version serves now. */
  isLive: boolean;
  /** Null if the person can only read. */
  onEdit: (() => void) | null;
}

export function DeploymentNotice({ root, proposal, deployment, isLive, onEdit }: DeploymentNoticeProps) {
  if (deployment.waitingSince !== null && deployment.finishedAt === null) {
    return (
      <Notice tone="warn" title="The deployment waits for the runtime">
        The runtime has not answered since <Time at={deployment.waitingSince} />. Plinth retries every few seconds, and
        the deployment continues by itself when the runtime answers. The live version stays live until then.
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
          <MarkedText text={deployment.error ?? "The step marked below failed."} />
        </p>
        <p>
          {proposal.baseText === null
            ? "Nothing is live yet."
            : "The previous version still serves; no request was lost."}{" "}
          {proposal.status === "approved"
            ? "Remove the cause, then resume from the failed step. Or edit the blueprint and propose it again."
            : "This change can't be resumed any more. Edit it and propose it again."}
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
        <p>The API serves this version. Resume to run the remaining steps; requests are served meanwhile.</p>
      </Notice>
    );
  }
  if (isUnderWay(deployment)) {
    return (
      <Notice tone="good" title="This version is live">
        The API already serves it. The remaining steps run while requests are served.
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
            Create a key
          </ButtonLink>
          <ButtonLink href={root} size="small" variant="primary">
            Call the API
          </ButtonLink>
        </>
      }
    >
      The API already serves it.{proposal.baseText === null ? " Next, create a key and send a request." : null}
    </Notice>
  );
}
