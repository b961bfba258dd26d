// The actions of a project. In: its id. Out: the project's actions, each with a form.
import type { Metadata } from "next";
import { ActionList } from "../../../../../../features/work/action-list.tsx";

export const metadata: Metadata = { title: "Actions" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <ActionList projectId={projectId} />;
}
