// The typed client of the control API. In: the router's type (only types are imported). Out: hooks for components, and the client behind
// them. It only calls this origin, with a cookie; it never has a token.
import type { AppRouter } from "@plinth/control/router";
import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCClient } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";

import { submitOnce } from "./submit-once.ts";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const url = "/control/trpc";

/** @param personId The person whom the page was loaded for; null before that is known. */
export function createControlClient(personId: () => string | null): TRPCClient<AppRouter> {
  const submit = submitOnce();
  const headers = (): Record<string, string> => {
    const id = personId();
    return id === null ? {} : { "plinth-person": id };
  };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        // Each mutation is a separate request, so that it is one submission.
        condition: ({ type }) => type === "mutation",
        true: httpLink({ url, headers, fetch: (input, init) => submit(input, init as RequestInit) }),
        false: splitLink({
          // A request that waits for changes would delay the others in its batch.
          condition: ({ path }) => path === "data.changes",
          true: httpLink({ url, headers }),
          // The queries of one page are one request. The limit keeps its address short enough for proxies.
          false: httpBatchLink({ url, headers, maxURLLength: 4000, maxItems: 10 }),
        }),
      }),
    ],
  });
}
