// The network access of connectors. In: a host, or a request. Out: the address to connect to, or the answer. Hosts pass
// the same guard as all calls of projects: it checks the resolved address, and the connection goes to exactly this
// address.
import { MailError, type Network } from "@plinth/connectors/email";
import type { Networks } from "@plinth/service";
import { createAddressGuard } from "../outbound/address-guard.ts";
import type { Outbound } from "../outbound/call.ts";
import { createNameLookup, judgedAddresses, type NameLookup, RefusedHost } from "../outbound/judged-addresses.ts";
import { OutboundError } from "../outbound/outbound-error.ts";

/**
 * The ports for submission, and further ports that providers offer. Other ports only work in networks that the operator
 * allows.
 */
const MAIL_PORTS: ReadonlySet<number> = new Set([25, 465, 587, 2465, 2525, 2587]);

export interface NetworkOptions {
  readonly outbound: Outbound;
  /** Networks that the operator lets projects reach although they are not public. */
  readonly allowed: Networks;
  /** Resolves names. Default: the system's name servers. */
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
        throw new MailError("unreachable", `The host name ${host} can't be resolved.`, error);
      });
      const usable = judged.find(({ address }) => allowed(address) || (encrypted && MAIL_PORTS.has(port)));
      if (usable !== undefined) return usable.address;
      const why = encrypted ? `Mail can't be sent to port ${port}.` : "Mail is only sent over an encrypted connection.";
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
