// One endpoint. In: the ids of project and endpoint. Out: its deliveries.
import type { Metadata } from "next";
import { EndpointPage } from "../../../../../../features/webhooks/endpoint-page.tsx";

export const metadata: Metadata = { title: "Webhook endpoint" };

export default async function Page({ params }: { params: Promise<{ projectId: string; endpointId: string }> }) {
  const { projectId, endpointId } = await params;
  return <EndpointPage projectId={projectId} endpointId={endpointId} />;
}
