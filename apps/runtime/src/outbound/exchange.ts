// One HTTP request and its answer, over a connection to checked addresses. In: a request, those addresses, and the
// source of the connection. Out: the answer, limited in size. It resolves no name and follows no redirect.
import type { LookupAddress } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { Connection } from "./kept-connections.ts";
import { OutboundError } from "./outbound-error.ts";

interface ExchangeRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** The connection goes to one of these. */
  readonly addresses: readonly LookupAddress[];
  readonly connection: Connection;
}

interface ExchangeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The state of an exchange, for when it fails. */
export class Exchange {
  /** The request may have been received. */
  sent = false;
  #outgoing: ClientRequest | null = null;
  #isAnswered = false;
  #isOver = false;

  /** @throws Error if the exchange is already over. */
  begin(outgoing: ClientRequest): void {
    this.#outgoing = outgoing;
    if (this.#isOver) outgoing.destroy(new Error("the call is over"));
  }

  answered(): void {
    this.#isAnswered = true;
  }

  /** Nothing is sent or read from now on. */
  end(): void {
    this.#isOver = true;
    this.#outgoing?.destroy();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether the service had closed the kept connection before the request was sent on it. */
  foundClosed(error: unknown): boolean {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (this.#isOver || this.#isAnswered || this.#outgoing?.reusedSocket !== true) return false;
    return code === "ECONNRESET" || code === "EPIPE";
  }
}

const REPLY_BYTES_MAX = 1_048_576;
/** Includes interim answers, headers and the framing of the body, which some services would send without end. */
const READ_BYTES_MAX = 4 * REPLY_BYTES_MAX;
/** Parts of a body that are stored separately. Each keeps the buffer that it was read into. */
const PARTS_MAX = 1_000;

/**
 * @throws OutboundError if the answer is too large; TypeError if the request can't be written; the errors of the
 * connection.
 */
export function exchange(state: Exchange, request: ExchangeRequest): Promise<ExchangeReply> {
  const { method, url, headers, body, addresses, connection } = request;
  const isTls = url.protocol === "https:";
  return new Promise<ExchangeReply>((resolve, reject) => {
    /** The bytes that the connection had read before this exchange. */
    let readBefore = 0;
    const limit = (): void => {
      if ((outgoing.socket?.bytesRead ?? 0) - readBefore <= READ_BYTES_MAX) return;
      outgoing.destroy();
      reject(new OutboundError("too_large", `The answer takes more than ${READ_BYTES_MAX} bytes on the network.`));
    };
    if (state.isOver) throw new Error("the call is over");
    const outgoing = (isTls ? requestHttps : requestHttp)(
      url,
      {
        method,
        headers: { ...headers, ...(body === null ? {} : { "content-length": String(Buffer.byteLength(body)) }) },
        lookup: lookupOf(addresses),
        ...connection,
      },
      (incoming) => {
        state.answered();
        incoming.on("data", limit);
        read(incoming, resolve, reject);
      },
    );
    state.begin(outgoing);
    outgoing.on("information", limit);
    outgoing.on("socket", (socket) => {
      readBefore = socket.bytesRead;
      if (outgoing.reusedSocket) state.sent = true;
      else
        socket.once(isTls ? "secureConnect" : "connect", () => {
          state.sent = true;
        });
    });
    // The service switches to another protocol (101) without being asked. Without this listener, the call would never
    // end.
    outgoing.on("upgrade", (_, socket) => {
      socket.destroy();
      reject(new Error("the service switched protocols"));
    });
    outgoing.on("error", reject);
    outgoing.end(body ?? undefined);
  });
}

/** Returns the checked addresses, whatever the name resolves to now. */
function lookupOf(addresses: readonly LookupAddress[]): LookupFunction {
  return (_, options, callback) => {
    if (options.all === true) return callback(null, [...addresses]);
    callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
  };
}

function read(
  incoming: IncomingMessage,
  resolve: (reply: ExchangeReply) => void,
  reject: (error: Error) => void,
): void {
  let chunks: Buffer[] = [];
  let size = 0;
  incoming.on("data", (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (chunks.length > PARTS_MAX) chunks = [Buffer.concat(chunks)];
    if (size <= REPLY_BYTES_MAX) return;
    incoming.destroy();
    reject(new OutboundError("too_large", `The answer has more than ${REPLY_BYTES_MAX} bytes.`));
  });
  incoming.on("error", reject);
  incoming.on("end", () => {
    const headers = Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : (value ?? ""),
      ]),
    );
    resolve({ status: incoming.statusCode ?? 0, headers, body: Buffer.concat(chunks).toString("utf8") });
  });
}
