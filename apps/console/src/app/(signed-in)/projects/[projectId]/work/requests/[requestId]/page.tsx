// One request. In: the ids of project and request. Out: its consequences.
import type { Metadata } from "next";
import { RequestPage } from "../../../../../../../features/work/request-page.tsx";

export const metadata: Metadata = { title: "Request" };

export default async function Page({ params }: { params: Promise<{ projectId: string; requestId: string }> }) {
  const { projectId, requestId } = await params;
  return <RequestPage projectId={projectId} requestId={decodeURIComponent(requestId)} />;
}
