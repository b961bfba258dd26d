// The end users of a project. In: its id. Out: the list of accounts.
import type { Metadata } from "next";
import { UsersPage } from "../../../../../features/users/users-page.tsx";

export const metadata: Metadata = { title: "Users" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <UsersPage projectId={projectId} />;
}
