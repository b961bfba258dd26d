// The layout of a project. In: its id from the address. Out: top bar, sidebar and the page.
import type { ReactNode } from "react";
import { AccountMenu } from "../../../../features/account/account-menu.tsx";
import { ProjectGate } from "../../../../features/shell/project-gate.tsx";
import { ProjectNavigation } from "../../../../features/shell/project-navigation.tsx";
import { TopBar } from "../../../../features/shell/top-bar.tsx";

interface ProjectLayoutProps {
  children: ReactNode;
  params: Promise<{ projectId: string }>;
}

export default async function ProjectLayout({ children, params }: ProjectLayoutProps) {
  const { projectId } = await params;
  return (
    <div className="flex min-h-dvh flex-col">
      <TopBar projectId={projectId} account={<AccountMenu />} />
      <div className="flex flex-1 flex-col md:flex-row">
        <ProjectNavigation projectId={projectId} />
        <main id="content" className="min-w-0 flex-1 px-4 py-6 md:px-8 md:py-8">
          <div className="mx-auto max-w-6xl">
            <ProjectGate projectId={projectId}>{children}</ProjectGate>
          </div>
        </main>
      </div>
    </div>
  );
}
