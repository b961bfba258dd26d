// One request. In: the project's id and the request's. Out: all that came of it.
import type { Metadata } from "next";
import { RequestPage } from "../../../../../../../features/work/request-page.tsx";

export const metadata: Metadata = { title: "Request" };

export default async function Page({ params }: { params: Promise<{ projectId: string; requestId: string }> }) {
  const { projectId, requestId } = await params;
  return <RequestPage projectId={projectId} requestId={decodeURIComponent(requestId)} />;
}
