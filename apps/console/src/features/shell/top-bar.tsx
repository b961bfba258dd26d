// The bar at the top of every page. In: the project of the page, if there is one, and the account menu. Out: a link to all projects, the
// switchers, search and the account menu.
import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "../../ui/logo.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { EnvironmentSwitcher } from "./environment-switcher.tsx";
import { OfflineNotice } from "./offline-notice.tsx";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";

/** `account`: the menu, from another feature. */
export function TopBar({ projectId = null, account }: { projectId?: string | null; account: ReactNode }) {
  return (
    <>
      <header className="flex h-12 items-center gap-2 border-b bg-surface px-4">
        <Link href="/projects" aria-label="All projects" className="-m-1 rounded-md p-1">
          <Logo />
        </Link>
        <Slash />
        {projectId === null ? (
          <OrganizationSwitcher />
        ) : (
          <>
            {/* A narrow screen has no room for it; the page of all projects shows the organizations there. */}
            <div className="flex min-w-0 items-center gap-2 max-md:hidden">
              <OrganizationSwitcher projectId={projectId} />
              <Slash />
            </div>
            <div className="flex min-w-0 items-center gap-1">
              <ProjectSwitcher projectId={projectId} />
              <EnvironmentSwitcher projectId={projectId} />
            </div>
          </>
        )}
        <div className="ml-auto flex shrink-0 items-center gap-3 pl-1">
          <CommandPalette projectId={projectId} />
          {account}
        </div>
      </header>
      <OfflineNotice />
    </>
  );
}

function Slash() {
  return (
    <span aria-hidden className="text-line-strong">
      /
    </span>
  );
}
