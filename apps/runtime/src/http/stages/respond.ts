// Stage 10: the reply. In: an outcome or a failure. Out: status, headers, body. A reply to a failure only contains the
// catalogue's entry and the fault's public text.
import { type Fault, toProblem } from "@plinth/service";
import type { Incoming, Reply } from "../contracts.ts";
import { etagOf, isUnchanged } from "./conditions.ts";
import type { Outcome } from "./execute.ts";

const json = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" } as const;
const none = { "cache-control": "no-store" } as const;

export function respond(outcome: Outcome, incoming: Incoming): Reply {
  const reply = replyOf(outcome, incoming);
  if (!("isReplayed" in outcome)) return reply;
  return { ...reply, headers: { ...reply.headers, "idempotency-replayed": "true" } };
}

function replyOf(outcome: Outcome, incoming: Incoming): Reply {
  switch (outcome.kind) {
    case "page":
      return { status: 200, headers: json, body: outcome.json };
    case "record": {
      const etag = etagOf(outcome.json);
      // Only the reply to a safe method can say that the caller's copy is current.
      if (incoming.method === "GET" && isUnchanged(incoming.headers, etag)) {
        return { status: 304, headers: { ...none, etag }, body: null };
      }
      return { status: 200, headers: { ...json, etag }, body: `{"data":${outcome.json}}` };
    }
    case "created": {
      const headers = { ...json, location: `${incoming.path}/${outcome.recordId}`, etag: etagOf(outcome.json) };
      return { status: 201, headers, body: `{"data":${outcome.json}}` };
    }
    case "deleted":
      return { status: 204, headers: none, body: null };
  }
}

/** RFC 9457. */
export function respondWithFault(fault: Fault, requestId: string): Reply & { readonly body: string } {
  const headers: Record<string, string> = {
    "content-type": "application/problem+json; charset=utf-8",
    "cache-control": "no-store",
    ...fault.headers,
  };
  // RFC 9110, 11.6.1: a 401 names the scheme.
  if (fault.status === 401) headers["www-authenticate"] ??= "Bearer";
  return { status: fault.status, headers, body: JSON.stringify(toProblem(fault, requestId)) };
}
