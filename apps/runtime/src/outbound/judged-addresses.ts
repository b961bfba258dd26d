// Resolves names for all calls of projects. In: a host. Out: its addresses that the guard allows. Name servers are
// queried without a thread, so a server that doesn't answer doesn't delay other projects' look-ups.
import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { AddressGuard } from "./address-guard.ts";

/** All addresses of a name. @throws Error if there are none, or if no server answers. */
export type NameLookup = (host: string) => Promise<readonly LookupAddress[]>;

export class RefusedHost extends Error {
  constructor(host: string) {
    super(`${host} resolves to an address that projects can't call.`);
    this.name = "RefusedHost";
  }
}

const QUERY_MS_MAX = 2_000;
const QUERIES = 2;

/**
 * Only name servers resolve names with a dot. `localhost` and names without a dot belong to the machine and its
 * operator; the system resolves them, with two threads. @param servers Name servers, such as `127.0.0.1:5353`. Default:
 * the system's.
 */
export function createNameLookup(servers?: readonly string[]): NameLookup {
  const resolver = new Resolver({ timeout: QUERY_MS_MAX, tries: QUERIES });
  if (servers !== undefined) resolver.setServers([...servers]);
  return async (host) => {
    const name = host.replace(/\.$/, "").toLowerCase();
    if (!name.includes(".") || name.endsWith(".localhost")) return lookup(name, { all: true });
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (four.status === "rejected" && six.status === "rejected") throw four.reason;
    return [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}

/**
 * The addresses that a caller can connect to. The caller must use one of them, and must not resolve the name again.
 * @throws RefusedHost if none of its addresses is allowed; the errors of the look-up.
 */
export async function judgedAddresses(
  host: string,
  isAllowed: AddressGuard,
  lookUp: NameLookup,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await lookUp(host) : [{ address: host, family }];
  const allowed = addresses.filter(({ address }) => isAllowed(address));
  if (allowed.length === 0) throw new RefusedHost(host);
  return allowed;
}
