// Checks that every listener makes on a request's head, and handles unread bodies. In: a Fastify application. Out: 400
// for a head that a proxy could read differently; the end of a connection whose body was not read.
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { Fault } from "./fault.ts";

/** `uri-host [ ":" port ]` (RFC 9110, 7.2): a name, an IPv4 address, or an IPv6 address in brackets; it may be empty. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[0-9a-f:.]+\])(?::\d*)?$/i;
/** Node uses the first of several, another server perhaps the last. */
const ONCE: ReadonlyMap<string, string> = new Map(
  ["Host", "Authorization", "Content-Type"].map((name) => [name.toLowerCase(), name]),
);
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/is;

/** Converts a target with our own host to a path (RFC 9112, 3.2.2); for Fastify's `rewriteUrl`. */
export function originForm({ url = "/", headers }: IncomingMessage): string {
  const [, authority, rest = ""] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined || authority.toLowerCase() !== headers.host?.toLowerCase()) return url;
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Node itself answers 400 to HTTP/1.1 without a Host. */
export function checkRequestHeads(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw }) => {
    const problem = headProblem(raw);
    if (problem !== null) throw new Fault("bad_request", { detail: problem });
  });
  app.addHook("onSend", async ({ raw }, reply) => {
    // The next request would start after the body, and its sender could keep the connection for as long as they like.
    if (announcesBody(raw) && !raw.complete) reply.header("connection", "close");
  });
}

/** What the head says about the body: nothing is read for it. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * RFC 9112, 3.2 requires 400 if Host is sent twice or is invalid; two credentials or two types for one body are just as
 * unclear. A target with another host than Host is refused too: a proxy may have checked only one of the two, and
 * clients always send both alike.
 */
function headProblem({ rawHeaders, headers, url = "/" }: IncomingMessage): string | null {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = ONCE.get(rawHeaders[i]?.toLowerCase() ?? "");
    if (name === undefined) continue;
    if (seen.has(name)) return `The header ${name} was sent more than once.`;
    seen.add(name);
  }
  if (!HOST.test(headers.host ?? "")) return "The header Host contains no host name.";
  return url.startsWith("/") || url === "*"
    ? null
    : "The request target is neither a path nor an address on this host.";
}
