// The overview of a project. In: its id. Out: the next steps, and the live version.
import type { Metadata } from "next";
import { PromotionBanner } from "../../../../features/environments/promotion-banner.tsx";
import { ProjectOverview } from "../../../../features/overview/project-overview.tsx";

export const metadata: Metadata = { title: "Overview" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return (
    <>
      <PromotionBanner projectId={projectId} />
      <ProjectOverview projectId={projectId} />
    </>
  );
}
