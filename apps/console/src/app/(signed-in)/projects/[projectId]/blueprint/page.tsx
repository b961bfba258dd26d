// The blueprint of a project. In: its id. Out: the editor.
import type { Metadata } from "next";
import { BlueprintPage } from "../../../../../features/blueprint/blueprint-page.tsx";

export const metadata: Metadata = { title: "Blueprint" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <BlueprintPage projectId={projectId} />;
}
