// The API keys of a project. In: its id. Out: the list, and a dialog to create one.
import type { Metadata } from "next";
import { KeyList } from "../../../../../features/keys/key-list.tsx";

export const metadata: Metadata = { title: "Keys" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <KeyList projectId={projectId} />;
}
