// The layout of all pages that need a session. In: a page. Out: the page, when the account is loaded.
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { SessionGate } from "../../features/account/session-gate.tsx";

/** Control sets it. Over HTTPS, its name has a prefix. */
const SESSION_COOKIE = /^(?:__Secure-)?plinth\.session_token$/;

export default async function SignedInLayout({ children }: { children: ReactNode }) {
  const hasCookie = (await cookies()).getAll().some(({ name }) => SESSION_COOKIE.test(name));
  return <SessionGate isSignedOut={!hasCookie}>{children}</SessionGate>;
}
