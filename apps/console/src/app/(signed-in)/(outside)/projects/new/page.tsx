// A new project. In: nothing. Out: the form.
import type { Metadata } from "next";
import { NewProjectForm } from "../../../../../features/projects/new-project-form.tsx";

export const metadata: Metadata = { title: "New project" };

export default function Page() {
  return <NewProjectForm />;
}
