// How connectors reach the network. In: a host, or a request. Out: the address to connect to, or the answer. Hosts go through the same
// guard as all calls of projects: what a name leads to is judged, and the connection goes to the very address that was.
import { MailError, type Network } from "@plinth/connectors/email";
import type { Networks } from "@plinth/service";
import { createAddressGuard } from "../outbound/address-guard.ts";
import type { Outbound } from "../outbound/call.ts";
import { createNameLookup, judgedAddresses, type NameLookup, RefusedHost } from "../outbound/judged-addresses.ts";
import { OutboundError } from "../outbound/outbound-error.ts";

/** Submission, and what providers offer beside it; others only in networks that the operator allows. */
const MAIL_PORTS: ReadonlySet<number> = new Set([25, 465, 587, 2465, 2525, 2587]);

export interface NetworkOptions {
  readonly outbound: Outbound;
  /** Networks that the operator lets projects reach although they are not public. */
  readonly allowed: Networks;
  /** Where names are asked for. Default: the system's name servers. */
  readonly lookUp?: NameLookup;
}

export function createNetwork(
  { outbound, allowed, lookUp = createNameLookup() }: NetworkOptions,
  projectId: string,
): Network {
  const isAllowed = createAddressGuard(allowed);
  return {
    async resolve(host, { port, encrypted }) {
      const judged = await judgedAddresses(host, isAllowed, lookUp).catch((error: unknown) => {
        if (error instanceof RefusedHost) throw new MailError("refused", error.message, error);
        throw new MailError("unreachable", `The name ${host} leads nowhere.`, error);
      });
      const usable = judged.find(({ address }) => allowed(address) || (encrypted && MAIL_PORTS.has(port)));
      if (usable !== undefined) return usable.address;
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
