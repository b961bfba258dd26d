// Every page behind a session. In: a page. Out: the page once the session is known.
import type { ReactNode } from "react";
import { SessionGate } from "../../features/account/session-gate.tsx";

export default function SignedInLayout({ children }: { children: ReactNode }) {
  return <SessionGate>{children}</SessionGate>;
}
