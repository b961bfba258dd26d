// Requests that arrive on a connection before the earlier ones are answered. In: a request's socket. Out: when it can
// begin. Replies leave in the order of the requests. Starting the requests together would not help their sender, and
// would fill the queues that all callers share.
import type { Socket } from "node:net";

export interface Pipelined {
  /**
   * Null: begin at once. False: the connection is gone, and no answer is needed. Each request that begins must call
   * `leave`.
   */
  enter(socket: Socket): Promise<boolean> | null;
  leave(socket: Socket): void;
}

/**
 * Each waiting request takes some kilobytes. A client that sends more before it reads an answer loses the connection,
 * and can send the rest again.
 */
const WAITING_MAX = 500;

export function createPipelined(): Pipelined {
  /** Connections with a request in progress, and the requests that wait behind it. */
  const lines = new WeakMap<Socket, ((mayBegin: boolean) => void)[]>();

  return {
    enter(socket) {
      const line = lines.get(socket);
      if (line === undefined) {
        lines.set(socket, []);
        return null;
      }
      if (line.length >= WAITING_MAX) socket.destroy();
      if (socket.destroyed) return Promise.resolve(false);
      return new Promise((resolve) => line.push(resolve));
    },

    leave(socket) {
      const line = lines.get(socket);
      if (socket.destroyed) {
        lines.delete(socket);
        for (const drop of line ?? []) drop(false);
        return;
      }
      const next = line?.shift();
      if (next === undefined) lines.delete(socket);
      else next(true);
    },
  };
}
