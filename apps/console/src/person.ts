// The person whom this page was loaded for. In: the query cache. Out: their id. A second tab may have signed somebody else in since: texts
// in this browser are stored by person, and each request names the person, so that it is refused if the session is somebody else's.
"use client";
import type { Me } from "@plinth/control/router";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useTRPC } from "./trpc.ts";

/** Null until the account is loaded. */
export function usePersonId(): string | null {
  return useQuery(useTRPC().me.get.queryOptions()).data?.person.id ?? null;
}

/** The same outside of components. */
export function loadedPersonId(queryClient: QueryClient): string | null {
  const [found] = queryClient.getQueriesData<Me>({ queryKey: [["me", "get"]] });
  return found?.[1]?.person.id ?? null;
}
