// Where an endpoint may be. In: what was sent as its address. Out: the address as it is called, or why it can't be one. The addresses
// that a name leads to are judged by the outbound guard at each call; here is what no call is needed for.
import { isIP } from "node:net";
import { Fault } from "@plinth/service";

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Parsing would drop some of them without a word, and encode the others. */
const BLANKS = /[\s\p{Cc}]/u;

/**
 * Without blanks around it, as a URL is written: `https://a.example/` for ` HTTPS://A.example`.
 * @param judged `isCalled` is false of a listener's, whose deliveries somebody else forwards: it may be in a private network.
 * @throws Fault validation_failed.
 */
export function targetOf(
  text: string,
  { isCalled, isAllowed }: { readonly isCalled: boolean; readonly isAllowed: (address: string) => boolean },
): string {
  const trimmed = text.trim();
  if (BLANKS.test(trimmed)) throw wrongUrl("An address has no spaces or line breaks in it.");
  const url = URL.parse(trimmed);
  if (url === null || !/^https?:$/.test(url.protocol)) throw wrongUrl("It must be an https address.");
  if (url.username !== "" || url.password !== "") throw wrongUrl("Credentials don't belong into an address.");
  if (url.hash !== "") throw wrongUrl("An address ends before `#`.");
  if (isCalled && url.protocol === "http:" && !LOCAL.test(url.hostname)) {
    throw wrongUrl("It must be an https address; http is for this machine alone.");
  }
  const address = url.hostname.replace(/^\[|\]$/g, "");
  if (isCalled && url.protocol === "https:" && isIP(address) !== 0 && !isAllowed(address)) {
    throw wrongUrl("Nothing is sent to this address: it is not on the public internet.");
  }
  if (url.href.length > URL_MAX) throw wrongUrl(`An address has at most ${URL_MAX} characters.`);
  return url.href;
}

const URL_MAX = 2_000;

function wrongUrl(message: string): Fault {
  return new Fault("validation_failed", { errors: [{ path: "/url", code: "invalid", message }] });
}
