// Tells a client why it is not served, without reading its request. In: sockets that aren't served. Out: one constant
// reply on each. It keeps a socket for two seconds at most, and only a few of them. The others are closed without a
// reply.
import type { Socket } from "node:net";
import { Fault } from "@plinth/service";
import { respondWithFault } from "../stages/respond.ts";

/** The time for a slow or distant client to receive its answer. */
const LEAVING_MS = 1_000;
const LEAVING_MAX = 256;
/**
 * The socket is read first, because closing it with unread bytes would discard the answer. This is as much as a usual
 * request has.
 */
const READ_BYTES_MAX = 16_384;

export interface RefusedSockets {
  refuse(socket: Socket): void;
  /** Closes the sockets whose time is over. */
  sweep(nowMs: number): void;
  stop(): void;
}

export function createRefusedSockets(): RefusedSockets {
  /** The sockets with the time of their refusal, the oldest first. */
  const leaving = new Map<Socket, number>();
  return {
    refuse(socket) {
      if (leaving.size >= LEAVING_MAX) {
        socket.destroy();
        return;
      }
      leaving.set(socket, performance.now());
      let left = READ_BYTES_MAX;
      socket
        .once("close", () => leaving.delete(socket))
        // It doesn't matter if the client has gone.
        .on("error", () => {})
        .on("data", (chunk: Buffer) => {
          left -= chunk.length;
          if (left < 0) socket.destroy();
        })
        .end(TOO_MANY);
    },
    sweep(nowMs) {
      for (const [socket, sinceMs] of leaving) {
        if (nowMs - sinceMs < LEAVING_MS) return;
        socket.destroy();
      }
    },
    stop() {
      for (const socket of leaving.keys()) socket.destroy();
    },
  };
}

const TOO_MANY = replyBytes(
  new Fault("unavailable", {
    detail: "Too many connections are open from this address.",
    headers: { "retry-after": "1" },
  }),
);

/** No request was read, so the reply has no request id. */
function replyBytes(fault: Fault): Buffer {
  const { headers, body: text } = respondWithFault(fault, "");
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(text), connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(["HTTP/1.1 503 Service Unavailable", ...head, "", text].join("\r\n"));
}
