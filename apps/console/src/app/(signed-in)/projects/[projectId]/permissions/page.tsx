// The permissions of a project. In: its id. Out: the matrix of roles, entities and operations.
import type { Metadata } from "next";
import { PermissionsPage } from "../../../../../features/permissions/permissions-page.tsx";

export const metadata: Metadata = { title: "Permissions" };

export default async function Page({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return <PermissionsPage projectId={projectId} />;
}
