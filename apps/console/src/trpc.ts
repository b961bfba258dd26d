// The typed way to the control API. In: the router's type (types alone cross from there). Out: hooks for components and
// the client behind them. It speaks to this origin only, by cookie; it never holds a token.
import type { AppRouter } from "@plinth/control/router";
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCClient } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";

import { submitOnce } from "./submit-once.ts";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const url = "/control/trpc";

export function createControlClient(): TRPCClient<AppRouter> {
  const submit = submitOnce();
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        // Each mutation is a request of its own: only so is it one submission.
        condition: ({ type }) => type === "mutation",
        true: httpLink({ url, fetch: (input, init) => submit(input, init as RequestInit) }),
        false: splitLink({
          // What waits for changes would hold up the others of its batch.
          condition: ({ path }) => path === "data.changes",
          true: httpLink({ url }),
          // Answers of one screen come together; the bound keeps a batch's address within what proxies accept.
          false: httpBatchLink({ url, maxURLLength: 4000, maxItems: 10 }),
        }),
      }),
    ],
  });
}
