// The events of a project. In: its id; filters in the address. Out: a table.
import type { Metadata } from "next";
import { EventList } from "../../../../../../features/work/event-list.tsx";

export const metadata: Metadata = { title: "Events" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <EventList projectId={projectId} />;
}
