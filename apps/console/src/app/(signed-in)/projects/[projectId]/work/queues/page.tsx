// The queues of a project. In: its id. Out: a card for each queue.
import type { Metadata } from "next";
import { QueueList } from "../../../../../../features/work/queue-list.tsx";

export const metadata: Metadata = { title: "Queues" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <QueueList projectId={projectId} />;
}
