// Lets browsers call the API from other origins. In: an Origin. Out: the headers of the Fetch standard's CORS protocol.
// It never allows cookies. A credential is always a header that the page must have itself, so any origin is allowed.
import type { Head, Reply } from "./contracts.ts";

export const allowOrigin: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "etag, idempotency-replayed, location, plinth-dry-run, ratelimit, ratelimit-policy, retry-after, x-request-id",
};

export function isPreflight({ method, headers }: Head): boolean {
  return method === "OPTIONS" && headers.origin !== undefined && "access-control-request-method" in headers;
}

export function preflightReply(): Reply {
  return {
    status: 204,
    headers: {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers":
        "authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, plinth-organization, plinth-project, plinth-user-token, x-request-id",
      "access-control-max-age": "7200",
    },
    body: null,
  };
}
