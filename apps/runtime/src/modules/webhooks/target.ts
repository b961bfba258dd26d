// Where an endpoint may be. In: what was sent as its address. Out: nothing, or why it can't be one. The addresses that a name leads to
// are judged by the outbound guard at each call; here is what no call is needed for.
import { Fault } from "@plinth/service";

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * @param isCalled False for a listener's, whose deliveries somebody else forwards: it may be in a private network.
 * @throws Fault validation_failed.
 */
export function requireTarget(text: string, { isCalled }: { readonly isCalled: boolean } = { isCalled: true }): void {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw wrongUrl("It must be an https address.");
  if (url.username !== "" || url.password !== "") throw wrongUrl("Credentials don't belong into an address.");
  if (url.hash !== "") throw wrongUrl("An address ends before `#`.");
  if (isCalled && url.protocol === "http:" && !LOCAL.test(url.hostname)) {
    throw wrongUrl("It must be an https address; http is for this machine alone.");
  }
}

function wrongUrl(message: string): Fault {
  return new Fault("validation_failed", { errors: [{ path: "/url", code: "invalid", message }] });
}
