// The client address of a request. In: the peer of the connection, and the header X-Forwarded-For. Out: the client's address. It only
// believes addresses that trusted proxies forward; by default no proxy is trusted.
import { type BlockList, isIP, isIPv4 } from "node:net";

/** `forwarded` is X-Forwarded-For: the client first, then the proxies, each with the address that the next one saw. */
export function clientAddress(peer: string, forwarded: string | undefined, trusted: BlockList): string {
  let address = peer;
  for (const entry of (forwarded ?? "").split(",").reverse()) {
    if (!isTrusted(address, trusted)) return address;
    const next = entry.trim();
    if (isIP(next) === 0) return address;
    address = next;
  }
  return address;
}

function isTrusted(address: string, trusted: BlockList): boolean {
  return isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}
