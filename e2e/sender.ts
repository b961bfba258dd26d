// One HTTP client for attackers and victims. In: an origin, and the loopback address that it uses. Out: a status for
// each request, 0 if there was no complete answer. It never throws, never retries, and keeps a limited number of
// sockets.
import { Agent, request } from "node:http";

export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Sender {
  readonly send: (shot: Shot) => Promise<number>;
  /** The status and the whole text. */
  readonly ask: (shot: Shot) => Promise<{ readonly status: number; readonly text: string }>;
  readonly close: () => void;
}

export interface SenderOptions {
  readonly origin: string;
  /** For example 127.0.0.7, which the service sees as the caller's address. */
  readonly from: string;
  readonly socketsMax: number;
  /** After this time without a complete answer, a request counts as failed. Default: 30 s. */
  readonly timeoutMs?: number;
  /** With false, each request uses a new connection. Default: true. */
  readonly keepAlive?: boolean;
}

export function createSender({ origin, from, socketsMax, ...rest }: SenderOptions): Sender {
  const { hostname, port } = new URL(origin);
  const { timeoutMs = 30_000, keepAlive = true } = rest;
  const agent = new Agent({ keepAlive, maxSockets: socketsMax, localAddress: from });
  const exchange = (shot: Shot, keep: boolean): Promise<{ status: number; text: string }> =>
    new Promise((resolve) => {
      const length = shot.body === undefined ? {} : { "content-length": String(Buffer.byteLength(shot.body)) };
      const headers = { ...length, ...shot.headers };
      const outgoing = request(
        { hostname, port, agent, localAddress: from, method: shot.method, path: shot.path, headers },
        (reply) => {
          let text = "";
          reply.on("data", (chunk: Buffer) => {
            if (keep) text += chunk.toString("utf8");
          });
          reply.on("end", () => done(reply.complete ? (reply.statusCode ?? 0) : 0, text));
          reply.on("error", () => done(0, ""));
        },
      );
      const timer = setTimeout(() => outgoing.destroy(new Error("no answer in time")), timeoutMs);
      const done = (status: number, text: string): void => {
        clearTimeout(timer);
        resolve({ status, text });
      };
      outgoing.on("error", () => done(0, ""));
      outgoing.end(shot.body);
    });
  return {
    send: async (shot) => (await exchange(shot, false)).status,
    ask: (shot) => exchange(shot, true),
    close: () => agent.destroy(),
  };
}
