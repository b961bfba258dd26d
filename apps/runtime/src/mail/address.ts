// E-mail addresses. In: text. Out: the address as it is written on the wire, or that it is none. Never more than one address comes of
// one text, and nothing that ends a header or a command.
import { domainToASCII } from "node:url";

/** As in the HTML standard and in e-mail fields. Quoted local parts are refused: few servers take them, and they may hold anything. */
const LOCAL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/;
/** Labels of letters, digits and inner hyphens, RFC 1123; the last one is no number, as that of an IPv4 address is. */
const DOMAIN =
  /^(?=.{1,253}$)(?!(?:.*\.)?\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * With the domain in ASCII (RFC 5891), in lower case; the part before the `@` as it was given. Null where it is no address, or one whose
 * first part is not in ASCII: hardly a mail server takes it (RFC 6531).
 */
export function wireAddress(text: string): string | null {
  const at = text.lastIndexOf("@");
  const [local, given] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !LOCAL.test(local)) return null;
  // What the URL standard would read as a port, a path or user information is no domain of an address.
  if (given.length > 253 || /[\s\p{Cc}:/?#@%[\]\\<>^|]/u.test(given)) return null;
  const domain = domainToASCII(given);
  return DOMAIN.test(domain) ? `${local}@${domain}` : null;
}
