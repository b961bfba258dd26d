// What a reader of a proposal must know before the details. In: the proposal and its deployment. Out: what stands in
// the way and what to do about it, or what has succeeded and what comes next.
"use client";
import type { Deployment, Proposal } from "@plinth/control/router";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { writeDraft } from "../../draft.ts";
import { useTRPC } from "../../trpc.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { errorText } from "../../ui/error-text.ts";
import { MarkedText } from "../../ui/marked-text.tsx";
import { Notice } from "../../ui/notice.tsx";

interface ProposalNoticesProps {
  projectId: string;
  proposal: Proposal;
  deployment: Deployment | undefined;
  mayChange: boolean;
}

export function ProposalNotices({ projectId, proposal, deployment, mayChange }: ProposalNoticesProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const renew = useMutation(
    trpc.proposals.create.mutationOptions({
      onSuccess: (made) => router.push(`/projects/${projectId}/changes/${made.id}`),
    }),
  );
  const root = `/projects/${projectId}`;

  function editAgain(): void {
    writeDraft(projectId, proposal.text);
    router.push(`${root}/blueprint`);
  }

  return (
    <>
      {deployment?.status === "active" ? (
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
          The API serves it already. Next, make a key and send a request.
        </Notice>
      ) : null}
      {deployment?.status === "failed" ? (
        <Notice tone="bad" title="The deployment failed">
          <p>{deployment.error ?? "The step marked below could not be done."}</p>
          <p>What was live before still is. Deploy again to go on from the failed step, or change the blueprint.</p>
        </Notice>
      ) : null}
      {proposal.plan.refused.length > 0 ? (
        <Notice
          tone="bad"
          title="This change can't be deployed"
          actions={
            mayChange ? (
              <Button size="small" onClick={editAgain}>
                Edit blueprint
              </Button>
            ) : null
          }
        >
          <ul className="flex flex-col gap-1">
            {proposal.plan.refused.map(({ path, reason }) => (
              <li key={path}>
                <code className="font-mono text-xs text-ink">{path}</code> <MarkedText text={reason} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      {proposal.status === "stale" ? (
        <Notice
          tone="warn"
          title="Something else was deployed since"
          actions={
            mayChange ? (
              <Button
                size="small"
                pending={renew.isPending}
                onClick={() => renew.mutate({ projectId, text: proposal.text })}
              >
                Compare again
              </Button>
            ) : null
          }
        >
          What is shown here was compared with an older version. Compare it with the live one before you go on.
          {renew.error ? <p className="text-bad">{errorText(renew.error)}</p> : null}
        </Notice>
      ) : null}
      {proposal.status === "rejected" ? (
        <Notice
          tone="neutral"
          title="This change was rejected"
          actions={
            mayChange ? (
              <Button size="small" onClick={editAgain}>
                Edit blueprint
              </Button>
            ) : null
          }
        >
          It can't be deployed any more. Its text can be changed and proposed again.
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
