// One event. In: the ids of project and event. Out: its payload, and the runs that it started.
import type { Metadata } from "next";
import { EventPage } from "../../../../../../../features/work/event-page.tsx";

export const metadata: Metadata = { title: "Event" };

export default async function Page({ params }: { params: Promise<{ projectId: string; eventId: string }> }) {
  const { projectId, eventId } = await params;
  return <EventPage projectId={projectId} eventId={eventId} />;
}
