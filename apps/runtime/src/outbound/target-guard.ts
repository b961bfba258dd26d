// Decides whether an address can be called, as far as it is known before its name is resolved. In: a URL. Out: the
// reason why not, or null. The guard of each call decides again, about the addresses to which a name resolves.
import { isIP } from "node:net";
import type { Networks } from "@plinth/service";
import { createAddressGuard } from "./address-guard.ts";

/** Networks and ports that the operator lets projects reach. */
export interface Targets {
  /** Networks that are not public, on any port. */
  readonly allowed: Networks;
  /** Ports of public addresses. */
  readonly ports: ReadonlySet<number>;
}

/** `address`: not on the public internet. `port`: not one of the operator's. */
export type TargetGuard = (url: URL) => "address" | "port" | null;

export function createTargetGuard({ allowed, ports }: Targets): TargetGuard {
  const isAllowed = createAddressGuard(allowed);
  return (url) => {
    const isOpen = isPortOpen(url, ports);
    const addresses = addressesIn(url.hostname);
    if (addresses !== null) {
      if (!addresses.some(isAllowed)) return "address";
      return isOpen || addresses.some(allowed) ? null : "port";
    }
    // The name may belong to a network of the operator's.
    return isOpen || allowed.isEmpty !== true ? null : "port";
  };
}

/** The addresses that a host names by itself; null for a name that must be resolved. */
function addressesIn(hostname: string): readonly string[] | null {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(host) !== 0) return [host];
  return /^(?:.*\.)?localhost$/.test(host) ? ["127.0.0.1", "::1"] : null;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

export function portOf(url: URL): number | undefined {
  return url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port);
}

export function isPortOpen(url: URL, ports: ReadonlySet<number>): boolean {
  const port = portOf(url);
  return port !== undefined && ports.has(port);
}
