// The settings of a project. In: its id. Out: its names, its members, and forms to rename and delete it.
import type { Metadata } from "next";
import { ProjectSettings } from "../../../../../features/settings/project-settings.tsx";

export const metadata: Metadata = { title: "Settings" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <ProjectSettings projectId={projectId} />;
}
