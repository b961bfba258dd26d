// How connectors reach the network. In: a host, or a request. Out: the address to connect to, or the answer. Hosts go through the same
// guard as all calls of projects: what a name leads to is judged, and the connection goes to the very address that was.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { MailError, type Network } from "@plinth/connectors/email";
import type { Networks } from "@plinth/service";
import { createAddressGuard } from "../outbound/address-guard.ts";
import { type Outbound, OutboundError } from "../outbound/call.ts";

/** Submission, and what providers offer beside it; others only in networks that the operator allows. */
const MAIL_PORTS: ReadonlySet<number> = new Set([25, 465, 587, 2465, 2525, 2587]);

export interface NetworkOptions {
  readonly outbound: Outbound;
  /** Networks that the operator lets projects reach although they are not public. */
  readonly allowed: Networks;
}

export function createNetwork({ outbound, allowed }: NetworkOptions, projectId: string): Network {
  const isAllowed = createAddressGuard(allowed);
  return {
    async resolve(host, { port, encrypted }) {
      const addresses = isIP(host) === 0 ? await lookUp(host) : [host];
      const usable = addresses.filter(
        (address) => allowed(address) || (isAllowed(address) && encrypted && MAIL_PORTS.has(port)),
      );
      const [first] = usable;
      if (first !== undefined) return first;
      if (!addresses.some(isAllowed))
        throw new MailError("refused", `${host} leads to an address that projects may not call.`);
      const why = encrypted ? `Mail can't be sent to port ${port}.` : "Mail is sent encrypted.";
      throw new MailError("refused", why);
    },
    async fetch(request) {
      try {
        return await outbound.call(projectId, async () => request);
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        const problem = error.problem === "refused" || error.problem === "unreachable" ? error.problem : "unknown";
        throw new MailError(problem, error.message, error);
      }
    },
  };
}

async function lookUp(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    throw new MailError("unreachable", `The name ${host} leads nowhere.`, error);
  }
}
