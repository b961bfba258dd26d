// The layout of all pages that need a session. In: a page. Out: the page, when the account is loaded.
import type { ReactNode } from "react";
import { SessionGate } from "../../features/account/session-gate.tsx";

export default function SignedInLayout({ children }: { children: ReactNode }) {
  return <SessionGate>{children}</SessionGate>;
}
