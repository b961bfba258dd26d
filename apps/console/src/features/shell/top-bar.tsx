// The bar over every page. In: where one is, and the account menu. Out: the mark, the way back, the account.
import Link from "next/link";
import type { ReactNode } from "react";
import { Logo } from "../../ui/logo.tsx";

export function TopBar({ place, account }: { place?: ReactNode; account: ReactNode }) {
  return (
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
      <div className="ml-auto">{account}</div>
    </header>
  );
}
