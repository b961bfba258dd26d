// Two versions of a project's blueprint. In: its id. Out: what changes from the one to the other.
import type { Metadata } from "next";
import { ComparePage } from "../../../../../../features/changes/compare-page.tsx";

export const metadata: Metadata = { title: "Compare versions" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <ComparePage projectId={projectId} />;
}
