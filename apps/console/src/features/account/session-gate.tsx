// Stands before every page that needs a session. In: the page. Out: the page once the session is known; a skeleton
// before. Whoever has none is led to the sign-in page by the query cache; the control API judges every call anyway.
"use client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { applyTheme } from "../../theme.ts";
import { useTRPC } from "../../trpc.ts";
import { errorCode } from "../../ui/error-text.ts";
import { QueryError } from "../../ui/query-error.tsx";
import { Skeleton, SkeletonRows } from "../../ui/skeleton.tsx";

export function SessionGate({ children }: { children: ReactNode }) {
  const trpc = useTRPC();
  const me = useQuery(trpc.me.get.queryOptions());
  const theme = me.data?.person.theme;
  // Chosen on another device: from the next page on, the server sends it so.
  useEffect(() => {
    if (theme !== undefined) applyTheme(theme);
  }, [theme]);
  if (me.data) return children;
  if (me.error && errorCode(me.error) !== "UNAUTHORIZED") {
    return (
      <main id="content" className="mx-auto max-w-2xl px-5 py-16">
        <QueryError error={me.error} what="Your account could not be loaded" onRetry={() => void me.refetch()} />
      </main>
    );
  }
  return (
    <main id="content" className="mx-auto max-w-5xl px-5 py-10">
      <Skeleton className="mb-6 h-7 w-40" />
      <SkeletonRows />
    </main>
  );
}
