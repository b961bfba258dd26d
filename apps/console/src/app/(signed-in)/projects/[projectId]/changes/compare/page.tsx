// The comparison of two versions of a blueprint. In: the project's id. Out: the differences.
import type { Metadata } from "next";
import { ComparePage } from "../../../../../../features/changes/compare-page.tsx";

export const metadata: Metadata = { title: "Compare versions" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <ComparePage projectId={projectId} />;
}
