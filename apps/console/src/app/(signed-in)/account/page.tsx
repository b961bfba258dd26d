// The person's own account. In: the session. Out: the password, the access tokens, and the sessions.
import type { Metadata } from "next";
import { AccountMenu } from "../../../features/account/account-menu.tsx";
import { AccountSettings } from "../../../features/account/account-settings.tsx";
import { TopBar } from "../../../features/shell/top-bar.tsx";
import { TokenList } from "../../../features/tokens/token-list.tsx";

export const metadata: Metadata = { title: "Account" };

export default function Page() {
  return (
    <>
      <TopBar account={<AccountMenu />} />
      <main id="content" className="mx-auto max-w-4xl px-5 py-10">
        <AccountSettings tokens={<TokenList />} />
      </main>
    </>
  );
}
