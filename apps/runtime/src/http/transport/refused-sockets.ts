// Tells a peer why it is not served, without reading what it sends. In: sockets that nobody serves. Out: one constant reply
// on each. It never holds one for longer than two seconds, nor more than a few of them: the others end without a word.
import type { Socket } from "node:net";
import { Fault } from "@plinth/service";
import { respondWithFault } from "../stages/respond.ts";

/** A peer that reads slowly, or whose end is far away, has so long to get its answer. */
const LEAVING_MS = 1_000;
const LEAVING_MAX = 256;
/** Read, since a socket that closes on unread bytes takes its answer back; as much as a usual request has. */
const READ_BYTES_MAX = 16_384;

export interface RefusedSockets {
  refuse(socket: Socket): void;
  /** Cuts those that have had their time. */
  sweep(nowMs: number): void;
  stop(): void;
}

export function createRefusedSockets(): RefusedSockets {
  /** With the time at which each was refused; the oldest first. */
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
        // A peer that has gone is no matter of ours.
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

/** No request was read, so there is none whose id could be told. */
function replyBytes(fault: Fault): Buffer {
  const { headers, body: text } = respondWithFault(fault, "");
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(text), connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(["HTTP/1.1 503 Service Unavailable", ...head, "", text].join("\r\n"));
}
