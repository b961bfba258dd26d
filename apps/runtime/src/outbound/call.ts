// Calls another service for a project. In: a request. Out: what was answered, or why there is no answer. It follows no redirect,
// reaches only addresses that the guard lets through, and connects to the very address that was judged.
import { defaultCallMsMax } from "@plinth/bundle";
import { FairQueue, type Networks } from "@plinth/service";
import { type AddressGuard, createAddressGuard } from "./address-guard.ts";
import { Exchange, exchange } from "./exchange.ts";
import { createNameLookup, judgedAddresses, type NameLookup, RefusedHost } from "./judged-addresses.ts";
import { createKeptConnections, type KeptConnections } from "./kept-connections.ts";
import { OutboundError } from "./outbound-error.ts";

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  /**
   * Keeps the connection open for the next call with the same value, origin and judged addresses. Only for requests that may arrive
   * twice: one that meets a connection which the service is just closing is sent again. Default: one connection for one call.
   */
  readonly keepFor?: string;
}

export interface OutboundReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Outbound {
  /**
   * In its turn: a project has so many calls under way at once. The timeout begins with the call.
   * @param prepare Makes the request once the call has its place; where it throws, nothing is sent.
   * @throws OutboundError, and what `prepare` throws.
   */
  call(project: string, prepare: () => Promise<OutboundRequest>): Promise<OutboundReply>;
}

/**
 * Calls of one process at once, and those of one project: each holds a socket, and an answer in memory. As they fill, a project
 * has fewer: services that stay silent, of however many projects, leave the others places.
 */
const PLACES = 400;
const PLACES_PER_PROJECT = 20;
/** Longer than the runs of one project that this process carries can take for their calls. */
const WAIT_MS_MAX = 600_000;

/** Where calls may go. */
export interface OutboundTargets {
  /** Networks that the operator lets projects reach although they are not public, at any port. Default: none. */
  readonly outboundAllowed?: Networks;
  /** Ports of public addresses. */
  readonly outboundPorts?: ReadonlySet<number>;
}

/** HTTP's own, and those that services use beside them. Others lead to mail servers, databases and shells. */
export const defaultOutboundPorts: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

/**
 * @param callMsMax What one call may take at most, whatever is asked for.
 * @param lookUp Where names are asked for.
 */
export function createOutbound(
  { outboundAllowed: allowed = () => false, outboundPorts: ports = defaultOutboundPorts }: OutboundTargets,
  callMsMax: number = defaultCallMsMax,
  lookUp: NameLookup = createNameLookup(),
): Outbound {
  const queue = new FairQueue({
    places: PLACES,
    placesPerProject: PLACES_PER_PROJECT,
    leavesRoom: true,
    waitingMax: 10_000,
    waitMsMax: WAIT_MS_MAX,
    refusal: () => new OutboundError("unreachable", "Too many calls of this project are under way."),
  });
  const isAddressAllowed = createAddressGuard(allowed);
  const egress: Egress = { isAddressAllowed, allowed, ports, lookUp, kept: createKeptConnections() };
  return {
    call: (project, prepare) =>
      queue.run(project, async () => {
        const request = await prepare();
        return call(egress, { ...request, timeoutMs: Math.min(request.timeoutMs, callMsMax) });
      }),
  };
}

interface Egress {
  readonly isAddressAllowed: AddressGuard;
  readonly allowed: Networks;
  readonly ports: ReadonlySet<number>;
  readonly lookUp: NameLookup;
  readonly kept: KeptConnections;
}

interface PortGuard {
  readonly isAllowed: AddressGuard;
  readonly refused: (cause: RefusedHost) => OutboundError;
}

/** For the port of one call: at others than those of the list only the operator's own networks are reached. */
function guardFor({ isAddressAllowed, allowed, ports }: Egress, url: URL): PortGuard {
  const port = url.port === "" ? DEFAULT_PORTS[url.protocol] : Number(url.port);
  if (port !== undefined && ports.has(port)) {
    return { isAllowed: isAddressAllowed, refused: (cause) => new OutboundError("refused", cause.message, cause) };
  }
  const message = `Calls don't go to port ${port} of ${url.hostname}; those to public addresses go to ${[...ports].join(", ")}.`;
  return {
    isAllowed: (address) => isAddressAllowed(address) && allowed(address),
    refused: (cause) => new OutboundError("refused", message, cause),
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

async function call(egress: Egress, request: OutboundRequest): Promise<OutboundReply> {
  const url = urlOf(request.url);
  const made = new Exchange();
  let timer: NodeJS.Timeout | undefined;
  // Once a connection was closed or handed over, its request reports nothing any more: the time limit stands beside it.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut()), request.timeoutMs);
  });
  try {
    return await Promise.race([judgeAndSend(egress, request, url, made), late]);
  } catch (error) {
    made.end();
    if (error instanceof OutboundError) throw error;
    // Node refuses characters that would end a header or a request line.
    if (error instanceof TypeError)
      throw new OutboundError("refused", `The call can't be sent: ${error.message}.`, error);
    const what = error instanceof TimedOut ? `No answer within ${request.timeoutMs} ms` : "The connection failed";
    throw new OutboundError(made.sent ? "no_answer" : "unreachable", `${what}: ${url.host}.`, error);
  } finally {
    clearTimeout(timer);
  }
}

class TimedOut extends Error {}

/** The name is looked up for each call, and the connection leads to one of the addresses that were judged for this call. */
async function judgeAndSend(
  egress: Egress,
  request: OutboundRequest,
  url: URL,
  made: Exchange,
): Promise<OutboundReply> {
  const { lookUp, kept } = egress;
  const { isAllowed, refused } = guardFor(egress, url);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = await judgedAddresses(host, isAllowed, lookUp).catch((error: unknown) => {
    throw error instanceof RefusedHost ? refused(error) : error;
  });
  const { keepFor } = request;
  if (keepFor === undefined) return exchange(made, { ...request, url, addresses, connection: { agent: false } });
  try {
    return await exchange(made, { ...request, url, addresses, connection: kept.of(keepFor, url, addresses) });
  } catch (error) {
    if (!made.foundClosed(error)) throw error;
    return exchange(made, { ...request, url, addresses, connection: { agent: false } });
  }
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new OutboundError("refused", "A call goes to an http or https URL.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError("refused", "Credentials don't belong into a URL: send them in a header.");
  }
  return url;
}
