// Around every page that needs a session. In: the page. Out: the page, which shows its own frame while it loads; an error
// where the account can't be read. Who has no session is sent to the sign-in page by the query cache, and sees no page until
// then. The control API checks every call anyway.
"use client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { applyTheme } from "../../theme.ts";
import { useTRPC } from "../../trpc.ts";
import { errorCode } from "../../ui/error-text.ts";
import { QueryError } from "../../ui/query-error.tsx";

export function SessionGate({ children }: { children: ReactNode }) {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  const theme = me.data?.person.theme;
  // Chosen on another device: from the next page on, the server sends it so.
  useEffect(() => {
    if (theme !== undefined) applyTheme(theme);
  }, [theme]);
  if (me.data || me.isPending) return children;
  if (errorCode(me.error) === "UNAUTHORIZED") return null;
  return (
    <main id="content" className="mx-auto max-w-2xl px-5 py-16">
      <QueryError error={me.error} what="Your account could not be loaded" onRetry={() => void me.refetch()} />
    </main>
  );
}
