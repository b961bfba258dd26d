// Watches the sockets of a listener. In: a server. Out: nothing.
// It never lets one address hold more sockets than its share, and cuts who doesn't read what was sent to them.
import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface SocketLimits {
  readonly perAddress: number;
  readonly total: number;
  /** Addresses that stand for many (proxies): the share is not for them. */
  readonly isTrusted: (address: string) => boolean;
}

/** After this grace a reader has to keep up this rate. */
const GRACE_MS = 5_000;
const BYTES_PER_MS = 16;
const SWEEP_MS = 1_000;

interface Draining {
  readonly sinceMs: number;
  readonly taken: number;
}

/** @returns what stops the watch. */
export function guardSockets(server: Server, limits: SocketLimits): () => void {
  const perAddress = new Map<string, number>();
  const open = new Set<Socket>();
  /** Sockets with something left to send, as they were when that was first seen. */
  const draining = new WeakMap<Socket, Draining>();
  server.maxConnections = limits.total;

  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (perAddress.get(address) ?? 0) + 1;
    if (count > limits.perAddress && !limits.isTrusted(address)) {
      socket.destroy();
      return;
    }
    perAddress.set(address, count);
    open.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
    });
  });

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const socket of open) {
      if (socket.writableLength === 0) {
        draining.delete(socket);
        continue;
      }
      const taken = socket.bytesWritten - socket.writableLength;
      const since = draining.get(socket);
      if (since === undefined) draining.set(socket, { sinceMs: now, taken });
      else if (now - since.sinceMs > GRACE_MS + (taken - since.taken) / BYTES_PER_MS) socket.destroy();
    }
  }, SWEEP_MS);
  sweep.unref();
  return () => clearInterval(sweep);
}
