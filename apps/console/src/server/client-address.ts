// Whose request it is. In: the connection's other end, and what was forwarded. Out: the client's address. It believes a
// forwarded address only as far as it goes through proxies that the operator trusts; by default through none.
import { type BlockList, isIP, isIPv4 } from "node:net";

/** `forwarded` is X-Forwarded-For: the client first, then the proxies, each as the next one saw it. */
export function clientAddress(peer: string, forwarded: string | undefined, trusted: BlockList): string {
  let address = peer;
  for (const said of (forwarded ?? "").split(",").reverse()) {
    if (!isTrusted(address, trusted)) return address;
    const next = said.trim();
    if (isIP(next) === 0) return address;
    address = next;
  }
  return address;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  return isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}
