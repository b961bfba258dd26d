// One proposed change, from review to live. In: the ids of project and proposal. Out: what it changes, what runs, the
// approval (bound to exactly what is shown), the deployment and its progress. It computes none of it: control does.
"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import Link from "next/link";
import { useEffect, useState } from "react";
import { clearDraft, readDraft } from "../../draft.ts";
import { useTRPC } from "../../trpc.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { ChangeGroups } from "./change-groups.tsx";
import { ClassBadge } from "./class-badge.tsx";
import { ConsentList } from "./consent-list.tsx";
import { countClasses } from "./group-changes.ts";
import { PlanSteps } from "./plan-steps.tsx";
import { ProposalActions } from "./proposal-actions.tsx";
import { ProposalNotices } from "./proposal-notices.tsx";
import { ProposalBadge } from "./status-badge.tsx";
import { diffTexts } from "./text-diff.ts";
import { TextDiffView } from "./text-diff-view.tsx";

const pollMs = 500;

export function ProposalPage({ projectId, proposalId }: { projectId: string; proposalId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [given, setGiven] = useState<ReadonlySet<string>>(new Set());
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const proposal = useQuery(trpc.proposals.get.queryOptions({ proposalId }));
  const deploymentId = proposal.data?.deploymentId ?? null;
  const deployment = useQuery(
    trpc.deployments.get.queryOptions(
      { deploymentId: deploymentId ?? "" },
      {
        enabled: deploymentId !== null,
        refetchInterval: (query) => (isOver(query.state.data?.status) ? false : pollMs),
      },
    ),
  );

  const refresh = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: trpc.proposals.pathKey() });
  };
  const approve = useMutation(trpc.proposals.approve.mutationOptions({ onSettled: refresh }));
  const measure = useMutation(trpc.proposals.measure.mutationOptions({ onSettled: refresh }));
  const reject = useMutation(trpc.proposals.reject.mutationOptions({ onSettled: refresh }));
  const deploy = useMutation(trpc.deployments.create.mutationOptions({ onSettled: refresh }));

  const status = deployment.data?.status;
  const text = proposal.data?.text;
  useEffect(() => {
    if (status !== "active" || text === undefined) return;
    if (readDraft(projectId) === text) clearDraft(projectId);
    for (const key of [
      trpc.projects.pathKey(),
      trpc.blueprints.pathKey(),
      trpc.data.pathKey(),
      trpc.proposals.pathKey(),
    ]) {
      void queryClient.invalidateQueries({ queryKey: key });
    }
    void queryClient.invalidateQueries({ queryKey: trpc.deployments.list.queryKey() });
  }, [status, text, projectId, queryClient, trpc]);

  if (proposal.error) {
    return (
      <QueryError
        error={proposal.error}
        what="The change could not be loaded"
        onRetry={() => void proposal.refetch()}
      />
    );
  }
  if (!proposal.data || !project.data) {
    return (
      <>
        <Skeleton className="mb-6 h-7 w-56" />
        <SkeletonRows rows={4} className="h-24" />
      </>
    );
  }

  const { data } = proposal;
  const textDiff = diffTexts(data.baseText, data.text);
  const failed = [approve, reject, deploy, measure].find(({ error }) => error);
  const mayChange = project.data.role === "owner";
  return (
    <>
      <Link
        href={`/projects/${projectId}/changes`}
        className="mb-3 inline-flex items-center gap-1 text-[0.8125rem] text-ink-soft hover:text-ink"
      >
        <ArrowLeft className="size-3.5" aria-hidden />
        Changes
      </Link>
      <PageHeader
        title={
          <>
            {data.baseText === null ? "First version" : "Review change"}
            <ProposalBadge status={data.status} />
          </>
        }
        description={
          <>
            {data.createdBy.name} proposed it <Time at={data.createdAt} />
            {data.approvedBy && data.approvedAt ? (
              <>
                , {data.approvedBy.name} approved it <Time at={data.approvedAt} />
              </>
            ) : null}
            .
          </>
        }
        actions={
          mayChange ? (
            <ProposalActions
              proposal={data}
              deployment={deployment.data}
              agreed={data.consents.every((consent) => given.has(consent))}
              approving={approve.isPending}
              deploying={deploy.isPending}
              rejecting={reject.isPending}
              onApprove={() => approve.mutate({ proposalId, hash: data.hash, consents: data.consents })}
              onReject={() => reject.mutate({ proposalId })}
              onDeploy={() => deploy.mutate({ proposalId })}
            />
          ) : null
        }
      />
      <div className="flex flex-col gap-6">
        {failed ? <QueryError error={failed.error} what="That was not done" /> : null}
        {deployment.error ? (
          <QueryError
            error={deployment.error}
            what="The progress of the deployment is unknown at the moment"
            onRetry={() => void deployment.refetch()}
          />
        ) : null}
        <ProposalNotices projectId={projectId} proposal={data} deployment={deployment.data} mayChange={mayChange} />
        <Card
          title="What changes"
          actions={countClasses(data.diff).map(({ name, count }) => <ClassBadge key={name} of={name} count={count} />)}
          flush
        >
          {data.diff.length > 0 ? (
            <ChangeGroups changes={data.diff} />
          ) : (
            <p className="p-4 text-ink-soft">The model stays the same; only the text differs.</p>
          )}
        </Card>
        {data.status === "open" && mayChange && data.consents.length > 0 ? (
          <Card
            title="What you agree to"
            description="Approving this change takes your word on each of these. They are kept with the approval."
            flush
          >
            <ConsentList consents={data.consents} changes={data.diff} given={given} onChange={setGiven} />
          </Card>
        ) : null}
        <Card
          title="What runs in the database"
          description={
            data.plan.steps.length > 0
              ? "Each step runs under a short lock limit and is recorded, so that it can be resumed."
              : null
          }
          actions={
            data.status === "open" && data.plan.steps.length > 0 && mayChange ? (
              <>
                {data.measures ? (
                  <span className="text-xs text-ink-soft">
                    Measured <Time at={data.measures.measuredAt} />
                  </span>
                ) : null}
                <Button size="small" pending={measure.isPending} onClick={() => measure.mutate({ proposalId })}>
                  Measure again
                </Button>
              </>
            ) : null
          }
          flush
        >
          {data.plan.steps.length > 0 || deployment.data ? (
            <PlanSteps plan={data.plan} measures={data.measures} progress={deployment.data?.steps ?? null} />
          ) : (
            <p className="p-4 text-ink-soft">
              {data.plan.refused.length > 0
                ? "No plan can be made for this change."
                : "Nothing: the tables stay as they are."}
            </p>
          )}
        </Card>
        <Card
          title="Blueprint"
          actions={
            <span className="font-mono text-xs tabular-nums">
              <span className="text-good">+{textDiff.added}</span> <span className="text-bad">-{textDiff.removed}</span>
            </span>
          }
          flush
        >
          <TextDiffView diff={textDiff} />
        </Card>
      </div>
    </>
  );
}

function isOver(status: string | undefined): boolean {
  return status === "active" || status === "failed" || status === "superseded";
}
