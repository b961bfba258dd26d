// Decides which headers of an inbound request are stored. In: the headers of a verified request. Out: those that help
// people to understand the request. It never passes on what proves a request, or a credential.
import type { IncomingHttpHeaders } from "node:http";
import type { Provider } from "./providers.ts";

export type StoredHeaders = Readonly<Record<string, unknown>>;

/** Names of headers that prove a request, or contain credentials. */
const CREDENTIAL =
  /auth|cookie|sign|(?:^|-)sig(?:-|$)|hmac|hash|digest|token|secret|key|passw|pwd|credential|session|jwt|bearer/;
/** An address can contain a token in its query. Proxies repeat it in such headers. */
const ADDRESS = /(?:^|-)(?:ur[il]|path|query|referr?er)$/;

/**
 * @param secrets The source's live secrets. A header that contains one is not stored, whatever its name is: a sender
 * can still use the header that the source declared before.
 */
export function storedHeaders(
  headers: IncomingHttpHeaders,
  { scheme }: Pick<Provider, "scheme">,
  secrets: readonly string[],
): StoredHeaders {
  const declared = scheme === "paypal" ? null : scheme.header;
  const isShown = ([name, value]: [string, unknown]): boolean =>
    name !== declared &&
    !CREDENTIAL.test(name) &&
    !ADDRESS.test(name) &&
    !secrets.some((secret) => String(value).includes(secret));
  return Object.fromEntries(Object.entries(headers).filter(isShown));
}

/**
 * Of a request that was stored before the declared header was left out. Which header its source declared then is
 * unknown, so only names that can't be a credential stay.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "content-length",
  "content-type",
  "date",
  "host",
  "user-agent",
]);

export function harmlessHeaders(headers: StoredHeaders): StoredHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => HARMLESS.has(name)));
}
