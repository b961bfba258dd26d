// Where a name leads, for all calls of projects. In: a host. Out: those of its addresses that the guard lets through. Names are asked of
// name servers without a thread: a server that stays silent holds up no other project's look-ups.
import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import type { AddressGuard } from "./address-guard.ts";

/** All addresses of a name. @throws Error where there are none, or no server answers. */
export type NameLookup = (host: string) => Promise<readonly LookupAddress[]>;

export class RefusedHost extends Error {
  constructor(host: string) {
    super(`${host} leads to an address that projects may not call.`);
    this.name = "RefusedHost";
  }
}

const QUERY_MS_MAX = 2_000;
const QUERIES = 2;

/**
 * Names with a dot are asked of the name servers alone. `localhost` and names without a dot are the machine's own, which its operator
 * gives: these are asked of the system, that has two threads for them.
 * @param servers Name servers, such as `127.0.0.1:5353`. Default: the system's.
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
 * The addresses that may be connected to: the caller connects to one of them, and asks for the name no second time.
 * @throws RefusedHost where none of its addresses is allowed; what the look-up throws.
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
