// `dry_run=true` on a route that writes a record: all is judged, nothing is kept. In: the query string. Out: whether it is there,
// and the mark of its reply.
import { Fault } from "@plinth/service";
import type { Incoming, Reply } from "../contracts.ts";

/** What such routes take alone. @throws Fault `unknown_parameter`, `bad_request`. */
export function isDryRun({ query }: Pick<Incoming, "query">): boolean {
  if (query === "") return false;
  const parameters = [...new URLSearchParams(query)];
  const unknown = parameters.find(([name]) => name !== "dry_run")?.[0].slice(0, 64);
  if (unknown !== undefined) {
    const message = "This route takes dry_run alone.";
    throw new Fault("unknown_parameter", {
      detail: message,
      errors: [{ path: unknown, code: "unknown_parameter", message }],
    });
  }
  const [value = ""] = parameters.map(([, each]) => each);
  if (parameters.length === 1 && (value === "true" || value === "false")) return value === "true";
  throw new Fault("bad_request", {
    detail: "dry_run is true or false.",
    errors: [{ path: "dry_run", code: "invalid", message: "It must be true or false, once." }],
  });
}

/** Nothing stands at the location of what was not created. */
export function asDryRun(reply: Reply): Reply {
  const { location: _, ...headers } = reply.headers;
  return { ...reply, headers: { ...headers, "plinth-dry-run": "true" } };
}
