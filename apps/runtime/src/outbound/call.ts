// Calls another service for a project. In: a request. Out: the answer, or the reason why there is none. It follows no
// redirect, only reaches addresses that the guard allows, and connects to exactly the checked address.
import { defaultCallMsMax } from "@plinth/bundle";
import { type Networks, noNetworks } from "@plinth/service";
import { type AddressGuard, createAddressGuard } from "./address-guard.ts";
import { type CallLimits, type CallLoad, createCallSlots, defaultCallLimits } from "./call-slots.ts";
import { Exchange, exchange } from "./exchange.ts";
import { createNameLookup, judgedAddresses, type NameLookup, RefusedHost } from "./judged-addresses.ts";
import { createKeptConnections, type KeptConnections } from "./kept-connections.ts";
import { OutboundError } from "./outbound-error.ts";
import { isPortOpen, portOf } from "./target-guard.ts";

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
  /**
   * Called right before it is sent. If it throws, nothing is sent. @returns headers that are only known then.
   */
  readonly begin?: () => Promise<OutboundRequest["headers"]>;
  /**
   * Keeps the connection open for the next call with the same value, origin and checked addresses. Only for requests
   * that may arrive twice: if the service is closing the connection at that moment, the request is sent again. Default:
   * a new connection for each call.
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
   * Waits for a slot: the number of concurrent calls is limited, and the bytes of their bodies. The timeout begins with
   * the call. @param prepare Creates the request once the call has a slot; if it throws, nothing is sent. @throws
   * OutboundError, and the errors of `prepare` and `begin`.
   */
  call(project: string, prepare: () => Promise<OutboundRequest>): Promise<OutboundReply>;
}

/** A part that makes calls, and knows how many. */
export interface LimitedOutbound extends Outbound {
  load(): CallLoad;
}

/** For the preparation of a call, which uses the database. */
const PREPARE_MS_MAX = 60_000;

/** Where calls can go. */
export interface OutboundTargets {
  /** Networks that the operator lets projects reach although they are not public, on any port. Default: none. */
  readonly outboundAllowed?: Networks;
  /** Ports of public addresses. */
  readonly outboundPorts?: ReadonlySet<number>;
  /** Default: the limits that apply if the operator sets nothing. */
  readonly callLimits?: CallLimits;
}

/** HTTP's own ports, and the usual alternatives. Other ports belong to mail servers, databases and shells. */
export const defaultOutboundPorts: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

/** @param callMsMax Upper limit for the timeout of a call. @param lookUp Resolves names. */
export function createOutbound(
  {
    outboundAllowed: allowed = noNetworks,
    outboundPorts: ports = defaultOutboundPorts,
    callLimits = defaultCallLimits,
  }: OutboundTargets,
  callMsMax: number = defaultCallMsMax,
  lookUp: NameLookup = createNameLookup(),
): LimitedOutbound {
  const slots = createCallSlots({ ...callLimits, workMsMax: callMsMax + PREPARE_MS_MAX });
  const isAddressAllowed = createAddressGuard(allowed);
  const egress: Egress = { isAddressAllowed, allowed, ports, lookUp, kept: createKeptConnections() };
  return {
    call: (project, prepare) =>
      slots.run(project, async (slot) => {
        const request = await prepare();
        await slot.send(Buffer.byteLength(request.body ?? ""));
        const headers = { ...request.headers, ...(await request.begin?.()) };
        const reply = await call(egress, { ...request, headers, timeoutMs: Math.min(request.timeoutMs, callMsMax) });
        slot.received(Buffer.byteLength(reply.body));
        return reply;
      }),
    load: slots.load,
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

/**
 * The guard for the port of one call. On other ports than the listed ones, only the operator's own networks can be
 * reached.
 */
function guardFor({ isAddressAllowed, allowed, ports }: Egress, url: URL): PortGuard {
  if (isPortOpen(url, ports)) {
    return { isAllowed: isAddressAllowed, refused: (cause) => new OutboundError("refused", cause.message, cause) };
  }
  const message = `Port ${portOf(url)} of ${url.hostname} can't be called. Public addresses can be called on the ports ${[...ports].join(", ")}.`;
  return {
    isAllowed: (address) => isAddressAllowed(address) && allowed(address),
    refused: (cause) => new OutboundError("refused", message, cause),
  };
}

async function call(egress: Egress, request: OutboundRequest): Promise<OutboundReply> {
  const url = urlOf(request.url);
  const state = new Exchange();
  let timer: NodeJS.Timeout | undefined;
  // A request reports nothing after its connection was closed or handed over, so the time limit runs separately.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut()), request.timeoutMs);
  });
  try {
    return await Promise.race([judgeAndSend(egress, request, url, state), late]);
  } catch (error) {
    state.end();
    if (error instanceof OutboundError) throw error;
    // Node refuses characters that would end a header or a request line.
    if (error instanceof TypeError)
      throw new OutboundError("refused", `The call can't be sent: ${error.message}.`, error);
    const what = error instanceof TimedOut ? `No answer within ${request.timeoutMs} ms` : "The connection failed";
    throw new OutboundError(state.sent ? "no_answer" : "unreachable", `${what}: ${url.host}.`, error);
  } finally {
    clearTimeout(timer);
  }
}

class TimedOut extends Error {}

/** Resolves the name for each call, and connects to one of the addresses that were checked for this call. */
async function judgeAndSend(
  egress: Egress,
  request: OutboundRequest,
  url: URL,
  state: Exchange,
): Promise<OutboundReply> {
  const { lookUp, kept } = egress;
  const { isAllowed, refused } = guardFor(egress, url);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = await judgedAddresses(host, isAllowed, lookUp).catch((error: unknown) => {
    throw error instanceof RefusedHost ? refused(error) : error;
  });
  const { keepFor } = request;
  if (keepFor === undefined) return exchange(state, { ...request, url, addresses, connection: { agent: false } });
  try {
    return await exchange(state, { ...request, url, addresses, connection: kept.of(keepFor, url, addresses) });
  } catch (error) {
    if (!state.foundClosed(error)) throw error;
    return exchange(state, { ...request, url, addresses, connection: { agent: false } });
  }
}

function urlOf(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new OutboundError("refused", "A call needs an http or https URL.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new OutboundError("refused", "A URL can't contain credentials. Send them in a header.");
  }
  return url;
}
