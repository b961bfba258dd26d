// Requests that come over one connection before the earlier ones are answered. In: a request's socket. Out: when it may begin.
// Their replies leave in the order of the requests, so that beginning them together gains their sender nothing, and fills the
// queues that all callers share.
import type { Socket } from "node:net";

export interface Pipelined {
  /** Null: begin at once. False: its connection is gone, and nothing is to be answered. Each that may begin calls `leave`. */
  enter(socket: Socket): Promise<boolean> | null;
  leave(socket: Socket): void;
}

/** Each holds some kilobytes. Who sends more before reading an answer loses the connection, and may send the rest again. */
const WAITING_MAX = 500;

export function createPipelined(): Pipelined {
  /** Connections that have a request under way, with those that wait behind it. */
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
