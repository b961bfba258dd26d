// The changes of a project. In: its id. Out: the timeline.
import type { Metadata } from "next";
import { ChangeList } from "../../../../../features/changes/change-list.tsx";

export const metadata: Metadata = { title: "Changes" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <ChangeList projectId={projectId} />;
}
