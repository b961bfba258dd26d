// One organization: its projects and its members.
import type { Metadata } from "next";
import { MemberList } from "../../../../../features/members/member-list.tsx";
import { OrganizationPage } from "../../../../../features/organizations/organization-page.tsx";
import { BackLink } from "../../../../../ui/back-link.tsx";

export const metadata: Metadata = { title: "Organization" };

export default async function Page({ params }: { params: Promise<{ organizationId: string }> }) {
  const { organizationId } = await params;
  return (
    <>
      <BackLink href="/organizations">Organizations</BackLink>
      <OrganizationPage
        organizationId={organizationId}
        members={<MemberList organizationId={organizationId} projectId={null} />}
      />
    </>
  );
}
