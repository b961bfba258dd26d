// What every page needs around it: the query cache and the control client. In: the page. Out: the page within both.
// A session that has ended leads to the sign-in page, from any query, and back afterwards.
"use client";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { withNext } from "../features/account/next-path.ts";
import { pageNonce } from "../nonce.ts";
import { createControlClient, TRPCProvider } from "../trpc.ts";
import { errorCode } from "../ui/error-text.ts";

/** Codes that the same request meets again: asking once more only makes the person wait. */
const finalCodes = ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "CONFLICT", "UNPROCESSABLE_CONTENT"];

export function Providers({ children }: { children: ReactNode }) {
  const router = useRouter();
  // Before a dialog opens: its scroll lock asks get-nonce for it.
  useEffect(() => setNonce(pageNonce()), []);
  const [trpcClient] = useState(createControlClient);
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
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
