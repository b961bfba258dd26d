// Connections that stay open for a few seconds, for further calls to the same service. In: the sender, the URL, and the
// addresses that were checked for this call. Out: the source of its connection. A connection is only reused by the same
// sender, for the same origin, and with exactly the same checked addresses: a name that resolves differently gets a new
// connection.
import type { LookupAddress } from "node:dns";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";

/** As Node's HTTP client takes it; `agent: false` is a connection for one request. */
export type Connection = { readonly agent: false } | { readonly agent: HttpAgent; readonly keptUnder: string };

export interface KeptConnections {
  of(keepFor: string, url: URL, addresses: readonly LookupAddress[]): Connection;
}

const KEPT_MS = 4_000;
/** Idle connections of one sender, and of all. Each holds a socket. */
const KEPT_MAX = 8;
const KEPT_IN_ALL_MAX = 400;
const OPTIONS = { keepAlive: true, maxFreeSockets: KEPT_MAX, timeout: KEPT_MS };

export function createKeptConnections(): KeptConnections {
  const agents = { "http:": new KeepingHttp(OPTIONS), "https:": new KeepingHttps(OPTIONS) };
  return {
    of(keepFor, url, addresses) {
      const judged = addresses.map(({ address }) => address).sort();
      return {
        agent: agents[url.protocol as "http:" | "https:"],
        keptUnder: [keepFor, url.origin, ...judged].join(" "),
      };
    },
  };
}

class KeepingHttp extends HttpAgent {
  override getName(options?: object): string {
    return nameOf(options);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return hasRoom(this) && isKept(super.keepSocketAlive(socket));
  }
}

class KeepingHttps extends HttpsAgent {
  override getName(options?: object): string {
    return nameOf(options);
  }

  override keepSocketAlive(socket: Duplex): boolean {
    return hasRoom(this) && isKept(super.keepSocketAlive(socket));
  }
}

/** Node calls it with the options of the request. */
function nameOf(options: { readonly keptUnder?: string } = {}): string {
  return options.keptUnder ?? "";
}

/** Node returns whether it keeps the connection, but its types don't say so. */
function isKept(answer: unknown): boolean {
  return answer !== false;
}

function hasRoom({ freeSockets }: HttpAgent): boolean {
  let free = 0;
  for (const sockets of Object.values(freeSockets)) free += sockets?.length ?? 0;
  return free < KEPT_IN_ALL_MAX;
}
