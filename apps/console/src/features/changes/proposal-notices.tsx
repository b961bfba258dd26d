// The notices above the details of a proposal. In: the proposal and its deployment. Out: problems and what to do about them, or the result
// and the next step.
"use client";
import type { Deployment, Proposal } from "@plinth/control/router";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { putDraft } from "../../draft.ts";
import { usePersonId } from "../../person.ts";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Time } from "../../ui/time.tsx";
import { AuthorNotice } from "./author-notice.tsx";
import { DeploymentNotice } from "./deployment-notice.tsx";
import { PromotionNotice } from "./promotion-notice.tsx";

interface ProposalNoticesProps {
  projectId: string;
  proposal: Proposal;
  deployment: Deployment | undefined;
  /** Whether the version of this deployment serves now. */
  isLive: boolean;
  mayChange: boolean;
}

export function ProposalNotices({ projectId, proposal, deployment, isLive, mayChange }: ProposalNoticesProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const personId = usePersonId();
  const router = useRouter();
  const renew = useMutation(
    trpc.proposals.renew.mutationOptions({
      onSuccess: (created) => router.push(`/projects/${projectId}/changes/${created.id}`),
    }),
  );
  const root = `/projects/${projectId}`;
  const isDecidable = proposal.status === "open" || proposal.status === "approved";
  const blockedSteps =
    proposal.measures?.steps.filter(({ violators }) => violators && violators.count !== 0).length ?? 0;

  async function editAgain(): Promise<void> {
    await putDraft(client, { personId, projectId }, proposal.text, proposal.baseVersionId);
    router.push(`${root}/blueprint`);
  }

  const editButton = mayChange ? (
    <Button size="small" onClick={() => void editAgain()}>
      Edit blueprint
    </Button>
  ) : null;
  const compareButton = (
    <Button size="small" onClick={() => router.push(`${root}/environments`)}>
      Compare environments
    </Button>
  );
  return (
    <>
      <AuthorNotice proposal={proposal} />
      <PromotionNotice proposal={proposal} />
      {deployment ? (
        <DeploymentNotice
          root={root}
          proposal={proposal}
          deployment={deployment}
          isLive={isLive}
          onEdit={mayChange ? () => void editAgain() : null}
        />
      ) : null}
      {isDecidable && deployment === undefined && blockedSteps > 0 ? (
        <Notice
          tone="bad"
          title={blockedSteps === 1 ? "One step can't be done yet" : `${blockedSteps} steps can't be done yet`}
        >
          Existing records violate the change. The deployment would stop at this step, and the live version would stay
          live. Change the records that are listed with the step, then measure again. Or relax the blueprint, for
          example with a default for a new field.
        </Notice>
      ) : null}
      {isDecidable && proposal.losses.length > 0 ? (
        <Notice tone="warn" title="Going back to this version can't restore everything">
          <ul className="flex flex-col gap-1">
            {proposal.losses.map((loss) => (
              <li key={loss}>
                <MarkedText text={loss} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      {proposal.plan.refused.length > 0 ? (
        <Notice tone="bad" title="This change can't be deployed" actions={editButton}>
          <ul className="flex flex-col gap-1">
            {proposal.plan.refused.map(({ path, reason }) => (
              <li key={`${path} ${reason}`}>
                <code className="font-mono text-xs text-ink">{path}</code> <MarkedText text={reason} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      {proposal.status === "stale" ? (
        <Notice
          tone="warn"
          title="This change must be compared again"
          actions={
            mayChange ? (
              <>
                <Button
                  size="small"
                  pending={renew.isPending}
                  onClick={() => renew.mutate({ proposalId: proposal.id })}
                >
                  Compare again
                </Button>
                {renew.error ? (proposal.promotedFrom ? compareButton : editButton) : null}
              </>
            ) : null
          }
        >
          {proposal.promotedFrom === null
            ? "Another change was deployed since then, or Plinth finds more in this change now. Comparing again creates a change with both, this one and what is live now."
            : `Another change was deployed since then, or Plinth finds more in this change now. Comparing again promotes what is live in ${proposal.promotedFrom.name} now.`}
          {renew.error ? <p className="text-bad">{errorText(renew.error)}</p> : null}
        </Notice>
      ) : null}
      {proposal.status === "rejected" ? (
        <Notice tone="neutral" title="This change was rejected" actions={editButton}>
          {proposal.rejected === null ? (
            "It was rejected"
          ) : (
            <>
              {proposal.rejected.by.name || proposal.rejected.by.email} rejected it <Time at={proposal.rejected.at} />
            </>
          )}
          , or replaced it with a suggested fix. A replacement has a higher number under Changes. This change can't be
          deployed any more. You can edit its text and propose it again.
        </Notice>
      ) : null}
      {proposal.diagnostics.length > 0 ? (
        <Notice
          tone="warn"
          title={proposal.diagnostics.length === 1 ? "One warning" : `${proposal.diagnostics.length} warnings`}
        >
          <ul className="flex flex-col gap-1">
            {proposal.diagnostics.map((diagnostic) => (
              <li key={`${diagnostic.code}@${diagnostic.span.start.offset}`}>
                <span className="font-mono text-xs text-ink tabular-nums">
                  {diagnostic.span.start.line}:{diagnostic.span.start.column}
                </span>{" "}
                <MarkedText text={diagnostic.message} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
    </>
  );
}
