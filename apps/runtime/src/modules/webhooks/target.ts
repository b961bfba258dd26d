// Checks the address of an endpoint. In: the sent address. Out: the address to call, or the reason why it can't be one.
// These checks need no call. At each call, the outbound guard checks the addresses to which a name resolves.
import { Fault } from "@plinth/service";
import type { TargetGuard } from "../../outbound/target-guard.ts";

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** The URL parser would silently drop some of these, and encode the others. */
const BLANKS = /[\s\p{Cc}]/u;

/**
 * Without surrounding blanks, in normalized form: `https://a.example/` for ` HTTPS://A.example`. @param judged
 * `isCalled` is false for a listener's address: somebody else forwards its deliveries, so it can be in a private
 * network. @throws Fault validation_failed.
 */
export function targetOf(
  text: string,
  { isCalled, refusalOf }: { readonly isCalled: boolean; readonly refusalOf: TargetGuard },
): string {
  const trimmed = text.trim();
  if (BLANKS.test(trimmed)) throw wrongUrl("An address can't contain spaces or line breaks.");
  const url = URL.parse(trimmed);
  if (url === null || !/^https?:$/.test(url.protocol)) throw wrongUrl("It must be an https address.");
  if (url.username !== "" || url.password !== "") throw wrongUrl("An address can't contain credentials.");
  if (url.hash !== "") throw wrongUrl("An address can't contain a `#` part.");
  if (isCalled && url.protocol === "http:" && !LOCAL.test(url.hostname)) {
    throw wrongUrl("It must be an https address. http is only allowed for this machine.");
  }
  const refusal = isCalled ? refusalOf(url) : null;
  if (refusal === "address") {
    throw wrongUrl("Plinth doesn't send to this address, because it is not on the public internet.");
  }
  if (refusal === "port") {
    throw wrongUrl("Plinth doesn't send to this port. Use 443, or another port that its operator allows.");
  }
  if (url.href.length > URL_MAX) throw wrongUrl(`An address can have at most ${URL_MAX} characters.`);
  return url.href;
}

const URL_MAX = 2_000;

function wrongUrl(message: string): Fault {
  return new Fault("validation_failed", { errors: [{ path: "/url", code: "invalid", message }] });
}
