// One inbound source. In: the project's id and the source's name. Out: its address, its secrets and its requests.
import type { Metadata } from "next";
import { SourcePage } from "../../../../../../../features/webhooks-in/source-page.tsx";

export const metadata: Metadata = { title: "Inbound source" };

export default async function Page({ params }: { params: Promise<{ projectId: string; source: string }> }) {
  const { projectId, source } = await params;
  return <SourcePage projectId={projectId} name={source} />;
}
