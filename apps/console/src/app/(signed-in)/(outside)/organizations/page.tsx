// The person's organizations.
import type { Metadata } from "next";
import { OrganizationList } from "../../../../features/organizations/organization-list.tsx";

export const metadata: Metadata = { title: "Organizations" };

export default function Page() {
  return <OrganizationList />;
}
