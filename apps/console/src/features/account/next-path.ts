// The page to open after signing in. In: the `next` parameter of the address. Out: a path of this console, never another site.

const HOME = "/projects";

/** A reserved origin: a URL with another origin would leave the console. */
const BASE = "http://console.invalid";

/** Backslashes and control characters, plain or escaped, and escaped slashes: no path of the console has them, and parsers differ on them. */
const SUSPICIOUS = /[\\\p{Cc}]|%(?:2f|5c|25|[01][0-9a-f]|7f)/iu;

/** The path that the browser's parser reads, if it stays on this origin; otherwise the list of projects. */
export function nextPath(next: string | null): string {
  const [beforeQuery = ""] = (next ?? "").split(/[?#]/, 1);
  if (next === null || SUSPICIOUS.test(beforeQuery) || !URL.canParse(next, BASE)) return HOME;
  const { origin, pathname, search, hash } = new URL(next, BASE);
  // "/.//host" is read as "//host", which is another site once it is read again.
  if (!/^\/(?!\/)/.test(next) || origin !== BASE || pathname.startsWith("//")) return HOME;
  return pathname + search + hash;
}

/** An address that opens `next` afterwards. */
export function withNext(page: "/sign-in" | "/sign-up", next: string): string {
  return next === HOME ? page : `${page}?next=${encodeURIComponent(next)}`;
}
