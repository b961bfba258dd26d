// One end user. In: the ids of project and user. Out: the account.
import type { Metadata } from "next";
import { UserPage } from "../../../../../../features/users/user-page.tsx";

export const metadata: Metadata = { title: "User" };

export default async function Page({ params }: { params: Promise<{ projectId: string; userId: string }> }) {
  const { projectId, userId } = await params;
  return <UserPage key={userId} projectId={projectId} userId={userId} />;
}
