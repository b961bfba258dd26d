// The environments of a project. In: the id of one of them. Out: the list, and a card to promote a blueprint.
import type { Metadata } from "next";
import { EnvironmentsPage } from "../../../../../features/environments/environments-page.tsx";

export const metadata: Metadata = { title: "Environments" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <EnvironmentsPage projectId={projectId} />;
}
