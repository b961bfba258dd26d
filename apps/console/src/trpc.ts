// The typed way to the control API. In: the router's type (types alone cross from there). Out: hooks for components and
// the client behind them. It speaks to this origin only, by cookie; it never holds a token.
import type { AppRouter } from "@plinth/control/router";
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCClient } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const url = "/control/trpc";

export function createControlClient(): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        // What waits for changes would hold up the others of its batch.
        condition: ({ path }) => path === "data.changes",
        true: httpLink({ url }),
        // Answers of one screen come together; the bound keeps a batch's address within what proxies accept.
        false: httpBatchLink({ url, maxURLLength: 4000, maxItems: 10 }),
      }),
    ],
  });
}
