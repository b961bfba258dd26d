// What every page needs around it: the query cache and the control client. In: the page. Out: the page within both.
// A session that has ended leads to the sign-in page, from any query, and back afterwards.
"use client";
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { createControlClient, TRPCProvider } from "../trpc.ts";
import { errorCode } from "../ui/error-text.ts";

/** Codes that the same request meets again: asking once more only makes the person wait. */
const finalCodes = ["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "CONFLICT", "UNPROCESSABLE_CONTENT"];

export function Providers({ children }: { children: ReactNode }) {
  const router = useRouter();
  const [trpcClient] = useState(createControlClient);
  const [queryClient] = useState(() => {
    const onError = (error: unknown): void => {
      if (errorCode(error) !== "UNAUTHORIZED" || !location.pathname.startsWith("/projects")) return;
      router.replace(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
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
