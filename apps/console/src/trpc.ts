// The typed way to the control API. In: the router's type (types alone cross from there). Out: hooks for components and
// the client behind them. It speaks to this origin only, by cookie; it never holds a token.
import type { AppRouter } from "@plinth/control/router";
import { createTRPCClient, httpBatchLink, type TRPCClient } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

export function createControlClient(): TRPCClient<AppRouter> {
  return createTRPCClient<AppRouter>({
    // Answers of one screen come together; the bound keeps a batch's address within what proxies accept.
    links: [httpBatchLink({ url: "/control/trpc", maxURLLength: 4000, maxItems: 10 })],
  });
}
