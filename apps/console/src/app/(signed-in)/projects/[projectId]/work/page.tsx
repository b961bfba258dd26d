// The runs of a project. In: its id; filters in the address. Out: a table.
import type { Metadata } from "next";
import { RunList } from "../../../../../features/work/run-list.tsx";

export const metadata: Metadata = { title: "Runs" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <RunList projectId={projectId} />;
}
