// The records of a project. In: its id. Out: a table for each entity.
import type { Metadata } from "next";
import { DataBrowser } from "../../../../../features/data/data-browser.tsx";

export const metadata: Metadata = { title: "Data" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <DataBrowser projectId={projectId} />;
}
