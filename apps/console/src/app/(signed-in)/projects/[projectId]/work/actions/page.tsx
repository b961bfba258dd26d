// The actions of a project. In: its id. Out: a form for each action.
import type { Metadata } from "next";
import { ActionList } from "../../../../../../features/work/action-list.tsx";

export const metadata: Metadata = { title: "Actions" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <ActionList projectId={projectId} />;
}
