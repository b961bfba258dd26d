// The layout of the pages outside a project. In: a page. Out: the page below the top bar.
import type { ReactNode } from "react";
import { AccountMenu } from "../../../features/account/account-menu.tsx";
import { TopBar } from "../../../features/shell/top-bar.tsx";

export default function OutsideLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <TopBar account={<AccountMenu />} />
      <main id="content" className="mx-auto max-w-4xl px-5 py-10">
        {children}
      </main>
    </>
  );
}
