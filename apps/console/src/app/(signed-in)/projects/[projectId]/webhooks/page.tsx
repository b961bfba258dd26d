// The endpoints of a project. In: its id. Out: the list.
import type { Metadata } from "next";
import { EndpointList } from "../../../../../features/webhooks/endpoint-list.tsx";

export const metadata: Metadata = { title: "Webhooks" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <EndpointList projectId={projectId} />;
}
