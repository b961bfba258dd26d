// The history of a project: what was proposed, what was deployed, and every version of its text. In: the project's id. Out: lists.
"use client";
import { useQuery } from "@tanstack/react-query";
import { GitPullRequestArrow } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { useTRPC } from "../../trpc.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageHeader } from "../../ui/page-header.tsx";
import { QueryError } from "../../ui/query-error.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { DeploymentBadge, ProposalBadge } from "./status-badge.tsx";
import { VersionList } from "./version-list.tsx";

export function ChangeList({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const project = useQuery(trpc.projects.get.queryOptions({ projectId }));
  const proposals = useQuery(trpc.proposals.list.queryOptions({ projectId }));
  const deployments = useQuery(trpc.deployments.list.queryOptions({ projectId }));
  const failed = proposals.error ? proposals : deployments.error ? deployments : null;
  const root = `/projects/${projectId}/changes`;
  return (
    <>
      <PageHeader
        title="Changes"
        description="Every change to the blueprint is reviewed, approved and deployed here."
      />
      {failed ? (
        <QueryError error={failed.error} what="The changes could not be loaded" onRetry={() => void failed.refetch()} />
      ) : null}
      {!failed && (proposals.isPending || deployments.isPending) ? <SkeletonRows /> : null}
      {proposals.data?.length === 0 ? (
        <EmptyState
          icon={<GitPullRequestArrow />}
          title="No changes yet"
          action={
            <ButtonLink href={`/projects/${projectId}/blueprint`} variant="primary">
              Open editor
            </ButtonLink>
          }
        >
          Write the blueprint, then press Review change. What it would do is shown here before anything runs.
        </EmptyState>
      ) : null}
      <div className="flex flex-col gap-6">
        {proposals.data && proposals.data.length > 0 ? (
          <Card title="Proposals" flush>
            <ul className="divide-y">
              {proposals.data.map((proposal) => (
                <Row
                  key={proposal.id}
                  href={`${root}/${proposal.id}`}
                  name={`Change ${proposal.hash.slice(0, 10)}`}
                  badge={<ProposalBadge status={proposal.status} />}
                >
                  {proposal.createdBy.name}{" "}
                  {proposal.promotedFrom ? `promoted it from ${proposal.promotedFrom.name}` : "proposed it"}{" "}
                  <Time at={proposal.createdAt} />
                  {proposal.approvedBy ? `, ${proposal.approvedBy.name} approved it` : null}
                </Row>
              ))}
            </ul>
          </Card>
        ) : null}
        {deployments.data && deployments.data.length > 0 ? (
          <Card title="Deployments" flush>
            <ul className="divide-y">
              {deployments.data.map((deployment) => (
                <Row
                  key={deployment.id}
                  href={`${root}/${deployment.proposalId}`}
                  name={`Deployment ${deployment.id.slice(-6)}`}
                  badge={
                    <DeploymentBadge
                      deployment={deployment}
                      isLive={deployment.id === project.data?.live?.deploymentId}
                    />
                  }
                >
                  Started <Time at={deployment.createdAt} />
                  {deployment.error ? <span className="block text-bad">{deployment.error}</span> : null}
                </Row>
              ))}
            </ul>
          </Card>
        ) : null}
        {proposals.data && proposals.data.length > 0 ? <VersionList projectId={projectId} /> : null}
      </div>
    </>
  );
}

function Row({ href, name, badge, children }: { href: string; name: string; badge: ReactNode; children: ReactNode }) {
  return (
    <li className="relative flex items-center gap-4 px-4 py-3 hover:bg-hover/60">
      <div className="min-w-0 flex-1">
        <Link href={href} className="font-medium after:absolute after:inset-0">
          {name}
        </Link>
        <p className="text-[0.8125rem] text-ink-soft">{children}</p>
      </div>
      {badge}
    </li>
  );
}
