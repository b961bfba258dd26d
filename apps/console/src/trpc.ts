// The typed client of the control API. In: the router's type (only types are imported). Out: hooks for components, and the client behind
// them. It only calls this origin, with a cookie; it never has a token.
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
        // Each mutation is a separate request, so that it is one submission.
        condition: ({ type }) => type === "mutation",
        true: httpLink({ url, fetch: (input, init) => submit(input, init as RequestInit) }),
        false: splitLink({
          // A request that waits for changes would delay the others in its batch.
          condition: ({ path }) => path === "data.changes",
          true: httpLink({ url }),
          // The queries of one page are one request. The limit keeps its address short enough for proxies.
          false: httpBatchLink({ url, maxURLLength: 4000, maxItems: 10 }),
        }),
      }),
    ],
  });
}
