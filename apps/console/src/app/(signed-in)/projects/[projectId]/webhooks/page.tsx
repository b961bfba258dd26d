// Where a project's events are sent. In: its id. Out: its endpoints.
import type { Metadata } from "next";
import { EndpointList } from "../../../../../features/webhooks/endpoint-list.tsx";

export const metadata: Metadata = { title: "Webhooks" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <EndpointList projectId={projectId} />;
}
