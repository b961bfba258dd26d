// Calls another service for a project. In: a request. Out: what was answered, or why there is no answer. It follows no redirect,
// reaches only addresses that the guard lets through, and connects to the very address that was judged.
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { defaultCallMsMax } from "@plinth/bundle";
import { FairQueue, type Networks } from "@plinth/service";
import { type AddressGuard, createAddressGuard } from "./address-guard.ts";
import { createNameLookup, judgedAddresses, type NameLookup, RefusedHost } from "./judged-addresses.ts";

export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly timeoutMs: number;
}

export interface OutboundReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * `refused`: not an address or a URL that may be called. `unreachable`: nothing was sent. `no_answer`: it may have been
 * received. `too_large`: the answer.
 */
export type OutboundProblem = "refused" | "unreachable" | "no_answer" | "too_large";

export class OutboundError extends Error {
  readonly problem: OutboundProblem;

  constructor(problem: OutboundProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "OutboundError";
    this.problem = problem;
  }
}

export interface Outbound {
  /**
   * In its turn: a project has so many calls under way at once. The timeout begins with the call.
   * @param prepare Makes the request once the call has its place; where it throws, nothing is sent.
   * @throws OutboundError, and what `prepare` throws.
   */
  call(project: string, prepare: () => Promise<OutboundRequest>): Promise<OutboundReply>;
}

const REPLY_BYTES_MAX = 1_048_576;
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
  return {
    call: (project, prepare) =>
      queue.run(project, async () => {
        const request = await prepare();
        return call(
          { isAddressAllowed, allowed, ports, lookUp },
          { ...request, timeoutMs: Math.min(request.timeoutMs, callMsMax) },
        );
      }),
  };
}

interface Egress {
  readonly isAddressAllowed: AddressGuard;
  readonly allowed: Networks;
  readonly ports: ReadonlySet<number>;
  readonly lookUp: NameLookup;
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
  // A literal address is never looked up.
  const literal = url.hostname.replace(/^\[|\]$/g, "");
  const guard = guardFor(egress, url);
  if (isIP(literal) !== 0 && !guard.isAllowed(literal)) throw guard.refused(new RefusedHost(url.hostname));
  const { method, headers, body, timeoutMs } = request;
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  let sent = false;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await new Promise<OutboundReply>((resolve, reject) => {
      // Once a connection was closed or handed over, the request tells nothing of its timeout any more.
      timeout.addEventListener("abort", () => reject(timeout.reason));
      const outgoing = send(
        url,
        {
          method,
          headers: { ...headers, ...(body === null ? {} : { "content-length": String(Buffer.byteLength(body)) }) },
          lookup: guardedLookup(guard, egress.lookUp),
          // One connection for one call: none is kept to an address that was judged long ago.
          agent: false,
          signal: timeout,
        },
        (incoming) => void read(incoming).then(resolve, reject),
      );
      outgoing.on("socket", (socket) => {
        const isReady = url.protocol === "https:" ? "secureConnect" : "connect";
        socket.once(isReady, () => {
          sent = true;
        });
      });
      // The service would speak another protocol (101) that nobody asked for: without a listener there is no end to the call.
      outgoing.on("upgrade", (_, socket) => {
        socket.destroy();
        reject(new Error("the service switched protocols"));
      });
      outgoing.on("error", reject);
      outgoing.end(body ?? undefined);
    });
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    // Node refuses characters that would end a header or a request line.
    if (error instanceof TypeError)
      throw new OutboundError("refused", `The call can't be sent: ${error.message}.`, error);
    const timedOut = error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
    const what = timedOut ? `No answer within ${timeoutMs} ms` : "The connection failed";
    throw new OutboundError(sent ? "no_answer" : "unreachable", `${what}: ${url.host}.`, error);
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

/** All addresses of the name are looked at, and the connection goes to one of those that were. */
function guardedLookup({ isAllowed, refused }: PortGuard, lookUp: NameLookup): LookupFunction {
  return (hostname, options, callback) => {
    judgedAddresses(hostname, isAllowed, lookUp).then(
      (allowed) => {
        if (options.all === true) return callback(null, [...allowed]);
        callback(null, allowed[0]?.address ?? "", allowed[0]?.family);
      },
      (error) => callback(error instanceof RefusedHost ? refused(error) : error, "", 0),
    );
  };
}

async function read(incoming: IncomingMessage): Promise<OutboundReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > REPLY_BYTES_MAX) {
      incoming.destroy();
      throw new OutboundError("too_large", `The answer has more than ${REPLY_BYTES_MAX} bytes.`);
    }
    chunks.push(chunk as Buffer);
  }
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  return { status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString("utf8") };
}
