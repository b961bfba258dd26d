// The projects of the person's organizations. In: nothing. Out: the list.
import type { Metadata } from "next";
import { ProjectList } from "../../../../features/projects/project-list.tsx";

export const metadata: Metadata = { title: "Projects" };

export default function Page() {
  return <ProjectList />;
}
