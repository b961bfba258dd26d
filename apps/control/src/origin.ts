// Protection against cross-site request forgery. In: a request that can change something. Out: whether its origin is one of ours.
// It never accepts a cookie from a page that isn't the console's.

import { Fault } from "@plinth/service";
import type { FastifyInstance } from "fastify";

/**
 * Browsers send `Origin` with every POST. Other clients send no `Origin` and, at first, no cookie. Once they send the cookie,
 * they must send `Origin` too.
 */
export function checkOrigins(app: FastifyInstance, trusted: readonly string[]): void {
  app.addHook("onRequest", async (request) => {
    if (request.method === "GET" || request.method === "HEAD") return;
    const { origin, cookie } = request.headers;
    if (origin === undefined ? cookie === undefined : trusted.includes(origin)) return;
    // An operator who has set a wrong PLINTH_CONSOLE_URL sees this message first. The expected address is public anyway.
    throw new Fault("forbidden", {
      detail: `Requests from ${origin ?? "elsewhere"} are not accepted here, only from ${trusted.join(" and ")}.`,
    });
  });
}

/** The console's origin. On a developer's machine, both names of the machine. */
export function trustedOrigins(consoleUrl: string): readonly string[] {
  const url = new URL(consoleUrl);
  const names = ["localhost", "127.0.0.1"];
  if (!names.includes(url.hostname)) return [url.origin];
  return names.map((name) => `${url.protocol}//${name}${url.port === "" ? "" : `:${url.port}`}`);
}
