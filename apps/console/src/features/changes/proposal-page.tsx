// One proposed change, from review to live. In: the ids of project and proposal. Out: its changes, its steps, the approval (valid only for
// exactly what is shown), the deployment and its progress. The control API computes all of it.
"use client";
import type { Proposal } from "@plinth/control/router";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect, useMemo, useRef, useState } from "react";
import { ChangeBadge } from "../../change-state.tsx";
import { useTRPC } from "../../trpc.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { Card } from "../../ui/card.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { ChangeGroups } from "./change-groups.tsx";
import { ClassBadge } from "./class-badge.tsx";
import { ConsentList, focusMissingConsent } from "./consent-list.tsx";
import { requiredConsents } from "./consents.ts";
import { countClasses } from "./group-changes.ts";
import { LostValues } from "./lost-values.tsx";
import { PlanCard } from "./plan-card.tsx";
import { isUnderWay } from "./progress.ts";
import { ProposalActions } from "./proposal-actions.tsx";
import { ProposalNotices } from "./proposal-notices.tsx";
import { diffTexts } from "./text-diff.ts";
import { TextDiffView } from "./text-diff-view.tsx";
import { TitleEdit } from "./title-edit.tsx";

const pollMs = 500;

/** It needs the package of the language, so it is loaded only if records violate the change. */
const SuggestedFixes = dynamic(() => import("./suggested-fixes.tsx"), { ssr: false });

function hasViolators({ measures }: Proposal): boolean {
  return measures?.steps.some(({ violators }) => violators !== null && violators.count !== 0) ?? false;
}

export function ProposalPage({ projectId, proposalId }: { projectId: string; proposalId: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [given, setGiven] = useState<ReadonlySet<string>>(new Set());
  const consentCard = useRef<HTMLDivElement>(null);
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const proposal = useQuery(trpc.proposals.get.queryOptions({ proposalId }));
  const deploymentId = proposal.data?.deploymentId ?? null;
  const deployment = useQuery(
    trpc.deployments.get.queryOptions(
      { deploymentId: deploymentId ?? "" },
      {
        enabled: deploymentId !== null,
        refetchInterval: (query) => (query.state.data && !isUnderWay(query.state.data) ? false : pollMs),
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
  const resume = useMutation(
    trpc.deployments.resume.mutationOptions({
      // The page polls again only if the deployment counts as running.
      onSuccess: (resumed) =>
        queryClient.setQueryData(trpc.deployments.get.queryKey({ deploymentId: resumed.id }), resumed),
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.deployments.pathKey() }),
    }),
  );

  const status = deployment.data?.status;
  // The state of the change follows from the state of its deployment.
  const ended = deployment.data !== undefined && !isUnderWay(deployment.data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a deployment can end without a change of its status.
  useEffect(() => {
    if (status !== undefined) void queryClient.invalidateQueries({ queryKey: trpc.proposals.pathKey() });
  }, [status, ended, queryClient, trpc]);
  useEffect(() => {
    if (status !== "active") return;
    // All cached data of the project may be outdated now: its modules, endpoints and entities.
    void queryClient.invalidateQueries();
  }, [status, queryClient]);
  const required = useMemo(
    () => (proposal.data ? requiredConsents(proposal.data.consents, proposal.data.diff) : []),
    [proposal.data],
  );

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
  const isLive = deploymentId !== null && project.data.live?.deploymentId === deploymentId;
  const missing = required.filter(({ name }) => !given.has(name)).length;
  const failed = [approve, reject, deploy, resume, measure].find(({ error }) => error);
  const { write: mayChange, manage: mayConsent } = project.data.may;
  return (
    <>
      <BackLink href={`/projects/${projectId}/changes`}>Changes</BackLink>
      <PageHeader
        title={
          <>
            <span className="font-normal text-ink-soft tabular-nums">#{data.number}</span>
            <TitleEdit proposal={data} mayChange={mayChange} />
            <ChangeBadge state={data.state} />
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
              isLive={isLive}
              missingConsents={missing}
              mayConsent={mayConsent}
              approving={approve.isPending}
              deploying={deploy.isPending}
              rejecting={reject.isPending}
              resuming={resume.isPending}
              onApprove={() => approve.mutate({ proposalId, hash: data.hash, consents: data.consents })}
              onShowMissing={() => focusMissingConsent(consentCard.current)}
              onReject={() => reject.mutate({ proposalId })}
              onDeploy={() => deploy.mutate({ proposalId })}
              onResume={() => deploymentId !== null && resume.mutate({ deploymentId })}
            />
          ) : null
        }
      />
      <div className="flex flex-col gap-6">
        {failed ? <QueryError error={failed.error} what="The request failed" /> : null}
        {deployment.error ? (
          <QueryError
            error={deployment.error}
            what="The progress of the deployment is unknown at the moment"
            onRetry={() => void deployment.refetch()}
          />
        ) : null}
        <ProposalNotices
          projectId={projectId}
          proposal={data}
          deployment={deployment.data}
          isLive={isLive}
          mayChange={mayChange}
        />
        {mayChange && (data.status === "open" || data.status === "approved") && hasViolators(data) ? (
          <SuggestedFixes projectId={projectId} proposal={data} />
        ) : null}
        <Card
          title="Changes in the model"
          actions={countClasses(data.diff).map(({ name, count }) => <ClassBadge key={name} of={name} count={count} />)}
          flush
        >
          {data.diff.length > 0 ? (
            <ChangeGroups changes={data.diff} consents={data.consents} />
          ) : (
            <p className="p-4 text-ink-soft">The model stays the same; only the text differs.</p>
          )}
        </Card>
        {data.status === "open" && mayChange && required.length > 0 ? (
          <div ref={consentCard}>
            <Card
              title="Required consents"
              description={
                mayConsent
                  ? "You can approve this change when you have consented to each of these. They are stored with the approval."
                  : "Only an admin or an owner can give these consents and approve this change. Send them the address of this page."
              }
              actions={
                mayConsent ? (
                  <span role="status" className="text-xs text-ink-soft tabular-nums">
                    {required.length - missing} of {required.length} given
                  </span>
                ) : null
              }
              flush
            >
              <ConsentList
                mayGive={mayConsent}
                more={({ kind, path }) =>
                  kind === "destructive" ? <LostValues projectId={projectId} path={path} /> : null
                }
                required={required}
                given={given}
                onChange={setGiven}
              />
            </Card>
          </div>
        ) : null}
        <PlanCard
          proposal={data}
          deployment={deployment.data}
          measuring={measure.isPending}
          onMeasure={mayChange ? () => measure.mutate({ proposalId }) : null}
        />
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
