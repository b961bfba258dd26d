// The schedules of a project. In: its id. Out: a card for each, with buttons to run or pause it.
import type { Metadata } from "next";
import { ScheduleList } from "../../../../../../features/work/schedule-list.tsx";

export const metadata: Metadata = { title: "Schedules" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <ScheduleList projectId={projectId} />;
}
