// Watches the sockets of a listener. In: a server. Out: nothing. It limits the number of sockets for each network,
// closes sockets whose clients don't read their replies, and closes idle connections before there is no room for new
// ones.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "../../identity/attempt-limit.ts";
import { createRefusedSockets } from "./refused-sockets.ts";

export interface SocketLimits {
  readonly perAddress: number;
  readonly total: number;
  /** Addresses that many clients share (proxies). The limit doesn't apply to them. */
  readonly isTrusted: (address: string) => boolean;
  /** Called for each socket above its network's share. */
  readonly onRefused: (network: string) => void;
}

/** After this time a client must read at this rate at least. */
const GRACE_MS = 5_000;
const BYTES_PER_MS = 16;
const SWEEP_MS = 250;
/** Above this share of the maximum, idle connections are closed. Their clients reconnect when they need to. */
const CROWDED = 0.8;
const CLOSE_EVERY_MS = 250;

interface Draining {
  readonly sinceMs: number;
  readonly taken: number;
}

/** @returns a function that stops the watch. */
export function guardSockets(server: Server, limits: SocketLimits): () => void {
  const perNetwork = new Map<string, number>();
  const open = new Set<Socket>();
  /** Sockets with data left to send, and their state when that was first seen. */
  const draining = new WeakMap<Socket, Draining>();
  server.maxConnections = limits.total;
  let closedAtMs = Number.NEGATIVE_INFINITY;
  const closeIdleWhenCrowded = (): void => {
    const now = performance.now();
    if (open.size < limits.total * CROWDED || now - closedAtMs < CLOSE_EVERY_MS) return;
    closedAtMs = now;
    server.closeIdleConnections();
  };

  const refused = createRefusedSockets();
  // Node only handles the connections that are accepted here. The others get no parser.
  const serve = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const network = networkOf(address);
    const count = (perNetwork.get(network) ?? 0) + 1;
    if (count > limits.perAddress && !limits.isTrusted(address)) {
      limits.onRefused(network);
      refused.refuse(socket);
      return;
    }
    perNetwork.set(network, count);
    open.add(socket);
    closeIdleWhenCrowded();
    socket.once("close", () => {
      open.delete(socket);
      const left = (perNetwork.get(network) ?? 1) - 1;
      if (left > 0) perNetwork.set(network, left);
      else perNetwork.delete(network);
    });
    for (const each of serve) each.call(server, socket);
  });

  const sweep = setInterval(() => {
    const now = performance.now();
    refused.sweep(now);
    for (const socket of open) {
      // Node doesn't count it as an idle connection, and a stop would wait for its client.
      if (!server.listening && socket.bytesRead === 0) socket.destroy();
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
  return () => {
    clearInterval(sweep);
    refused.stop();
  };
}
