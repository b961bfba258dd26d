// The changes of a project's records as they happen. In: its id. Out: the live tail.
import type { Metadata } from "next";
import { LiveTail } from "../../../../../features/live/live-tail.tsx";

export const metadata: Metadata = { title: "Live" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <LiveTail projectId={projectId} />;
}
