// One proposed change. In: the ids of project and proposal. Out: its review.
import type { Metadata } from "next";
import { ProposalPage } from "../../../../../../features/changes/proposal-page.tsx";

export const metadata: Metadata = { title: "Review change" };

interface PageProps {
  params: Promise<{ projectId: string; proposalId: string }>;
}

export default async function Page({ params }: PageProps) {
  const { projectId, proposalId } = await params;
  return <ProposalPage projectId={projectId} proposalId={proposalId} />;
}
