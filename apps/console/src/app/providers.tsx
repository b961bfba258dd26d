// The context of every page: the query cache and the client of the control API. In: the page. Out: the page inside both. If a session has
// ended, any request redirects to the sign-in page, which leads back afterwards.
"use client";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { withNext } from "../features/account/next-path.ts";
import { pageNonce } from "../nonce.ts";
import { loadedPersonId } from "../person.ts";
import { createControlClient, TRPCProvider } from "../trpc.ts";
import { errorCode } from "../ui/error-text.ts";

/** Errors that a retry would get again. */
const finalCodes = ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "CONFLICT", "UNPROCESSABLE_CONTENT"];

export function Providers({ children }: { children: ReactNode }) {
  const router = useRouter();
  // The scroll lock of dialogs reads the nonce from get-nonce.
  useEffect(() => setNonce(pageNonce()), []);
  const [queryClient] = useState(() => {
    const onError = (error: unknown): void => {
      if (errorCode(error) !== "UNAUTHORIZED" || !/^\/(projects|organizations|account)(\/|$)/.test(location.pathname))
        return;
      router.replace(withNext("/sign-in", location.pathname + location.search));
    };
    return new QueryClient({
      queryCache: new QueryCache({ onError }),
      mutationCache: new MutationCache({ onError }),
      defaultOptions: {
        queries: {
          staleTime: 5_000,
          retry: (failures, error) => failures < 2 && !finalCodes.includes(errorCode(error) ?? ""),
          retryDelay: (failures) => 400 * 2 ** failures,
        },
      },
    });
  });
  const [trpcClient] = useState(() => createControlClient(() => loadedPersonId(queryClient)));
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
