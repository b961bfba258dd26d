// Cross-site request forgery. In: a request that may change something. Out: whether its origin is one of ours.
// It never lets a cookie count from a page that isn't the console's.

import { Fault } from "@plinth/service";
import type { FastifyInstance } from "fastify";

/**
 * Browsers send `Origin` with every POST. A client that is no browser sends neither it nor, at first, a cookie; once it
 * sends the cookie, it must say on whose behalf.
 */
export function checkOrigins(app: FastifyInstance, trusted: readonly string[]): void {
  app.addHook("onRequest", async (request) => {
    if (request.method === "GET" || request.method === "HEAD") return;
    const { origin, cookie } = request.headers;
    if (origin === undefined ? cookie === undefined : trusted.includes(origin)) return;
    // An operator who has set PLINTH_CONSOLE_URL wrongly sees this first. The expected address is public anyway.
    throw new Fault("forbidden", {
      detail: `Requests from ${origin ?? "elsewhere"} are not accepted here, only from ${trusted.join(" and ")}.`,
    });
  });
}

/** The console's origin; on a developer's machine under both its names. */
export function trustedOrigins(consoleUrl: string): readonly string[] {
  const url = new URL(consoleUrl);
  const names = ["localhost", "127.0.0.1"];
  if (!names.includes(url.hostname)) return [url.origin];
  return names.map((name) => `${url.protocol}//${name}${url.port === "" ? "" : `:${url.port}`}`);
}
