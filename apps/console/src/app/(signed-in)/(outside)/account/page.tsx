// The account of the person. In: the session. Out: profile, password, access tokens and sessions.
import type { Metadata } from "next";
import { AccountSettings } from "../../../../features/account/account-settings.tsx";
import { TokenList } from "../../../../features/tokens/token-list.tsx";

export const metadata: Metadata = { title: "Account" };

export default function Page() {
  return <AccountSettings tokens={<TokenList />} />;
}
