// Checks e-mail addresses. In: text. Out: the address in its form for SMTP, or null. The result is never more than one
// address, and never contains anything that ends a header or a command.
import { domainToASCII } from "node:url";

/**
 * As in the HTML standard and in e-mail fields. Quoted local parts are refused: few servers accept them, and they can
 * contain anything.
 */
const LOCAL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
/** Labels of letters, digits and inner hyphens, RFC 1123. The last one isn't a number, unlike in an IPv4 address. */
const DOMAIN =
  /^(?=.{1,253}$)(?!(?:.*\.)?\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * The domain is in ASCII (RFC 5891) and in lower case; the part before the `@` is unchanged. Null if the text is not an
 * address, or if its first part is not ASCII: hardly any mail server accepts that (RFC 6531).
 */
export function wireAddress(text: string): string | null {
  const at = text.lastIndexOf("@");
  const [local, given] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !LOCAL.test(local)) return null;
  // The URL parser would read these characters as a port, a path or user information.
  if (given.length > 253 || /[\s\p{Cc}:/?#@%[\]\\<>^|]/u.test(given)) return null;
  const domain = domainToASCII(given);
  return DOMAIN.test(domain) ? `${local}@${domain}` : null;
}
