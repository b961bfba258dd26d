// Around every page that needs a session. In: the page. Out: the page, or an error if the account can't be loaded. The query cache redirects
// a visitor without a session to the sign-in page, and nothing is shown until then. The control API checks every request anyway.
"use client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { applyTheme } from "../../theme.ts";
import { useTRPC } from "../../trpc.ts";
import { errorCode } from "../../ui/error-text.ts";
import { QueryError } from "../../ui/query-error.tsx";

interface SessionGateProps {
  /** The browser has no session for sure: then the page would only show its skeleton for a moment. */
  isSignedOut: boolean;
  children: ReactNode;
}

export function SessionGate({ isSignedOut, children }: SessionGateProps) {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  const theme = me.data?.person.theme;
  // The person may have chosen the theme on another device. The server renders it from the next page on.
  useEffect(() => {
    if (theme !== undefined) applyTheme(theme);
  }, [theme]);
  if (me.data || (me.isPending && !isSignedOut)) return children;
  if (me.isPending) return null;
  if (errorCode(me.error) === "UNAUTHORIZED") return null;
  return (
    <main id="content" className="mx-auto max-w-2xl px-5 py-16">
      <QueryError error={me.error} what="Your account could not be loaded" onRetry={() => void me.refetch()} />
    </main>
  );
}
