// The bar at the top of every page. In: the present project, and the account menu. Out: a link to all projects, the switchers, search and the
// account menu.
import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "../../ui/logo.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { OfflineNotice } from "./offline-notice.tsx";

interface TopBarProps {
  place?: ReactNode;
  account: ReactNode;
  projectId?: string;
}

export function TopBar({ place, account, projectId }: TopBarProps) {
  return (
    <>
      <header className="flex h-12 items-center gap-2 border-b bg-surface px-4">
        <Link href="/projects" aria-label="All projects" className="-m-1 rounded-md p-1">
          <Logo />
        </Link>
        {place ? (
          <>
            <span aria-hidden className="text-line-strong">
              /
            </span>
            <div className="flex min-w-0 items-center gap-1">{place}</div>
          </>
        ) : (
          <span className="font-semibold tracking-tight">Plinth</span>
        )}
        <div className="ml-auto flex shrink-0 items-center gap-3">
          <CommandPalette projectId={projectId ?? null} />
          {account}
        </div>
      </header>
      <OfflineNotice />
    </>
  );
}
