// The inbound sources of a project. In: its id. Out: the list.
import type { Metadata } from "next";
import { SourceList } from "../../../../../../features/webhooks-in/source-list.tsx";

export const metadata: Metadata = { title: "Inbound webhooks" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <SourceList projectId={projectId} />;
}
