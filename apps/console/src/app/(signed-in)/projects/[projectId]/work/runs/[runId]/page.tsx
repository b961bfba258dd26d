// One run. In: the ids of project and run. Out: its steps, and buttons to act on it.
import type { Metadata } from "next";
import { RunPage } from "../../../../../../../features/work/run-page.tsx";

export const metadata: Metadata = { title: "Run" };

export default async function Page({ params }: { params: Promise<{ projectId: string; runId: string }> }) {
  const { projectId, runId } = await params;
  return <RunPage key={runId} projectId={projectId} runId={runId} />;
}
