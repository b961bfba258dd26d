// A TCP proxy that can be broken on purpose. In: a target. Out: a port that forwards to it. It never changes the bytes
// that it forwards.
import { connect, createServer, type Socket } from "node:net";

export type FaultProxy = {
  readonly port: number;
  /** Same address as `url`, through the proxy. */
  through(url: string): string;
  /** Resets every connection, and every new one, until restore(). */
  cut(): void;
  /** Keeps connections open but forwards nothing in either direction, like a network that drops packets. */
  freeze(): void;
  /**
   * Lets a connection's next replies pass up to this many bytes, and nothing more of that connection until restore().
   * @param which Of the open connections; default: each of them.
   */
  silence(bytes: number, which?: number): void;
  restore(): void;
  /** The number of open connections. */
  connections(): number;
  close(): Promise<void>;
};

export type FaultProxyOptions = {
  /** `host:port`, or a URL with both. */
  readonly target: string;
};

/** The caller's side and the target's. */
type Pair = readonly [near: Socket, far: Socket];

export async function createFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const target = new URL(options.target.includes("://") ? options.target : `tcp://${options.target}`);
  const pairs = new Set<Pair>();
  let state: "whole" | "cut" | "frozen" = "whole";
  const server = createServer((near) => {
    if (state === "cut") {
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [socket, other] of [pair, [far, near] as const]) {
      socket.setNoDelay(true);
      socket.pipe(other);
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        other.destroy();
      });
      if (state === "frozen") socket.unpipe(other).pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };

  const reset = (): void => {
    for (const [near, far] of pairs) {
      near.resetAndDestroy();
      far.resetAndDestroy();
    }
  };
  /** Requests still pass, so that the target works on them and its replies are lost. */
  const mute = ([near, far]: Pair, bytes: number): void => {
    let left = bytes;
    far.unpipe(near);
    far.on("data", (piece: Buffer) => {
      near.write(piece.subarray(0, left));
      if (piece.length < left) left -= piece.length;
      else {
        far.removeAllListeners("data").pause();
        if (piece.length > left) far.unshift(piece.subarray(left));
      }
    });
    far.resume();
  };
  return {
    port,
    through(url) {
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(port);
      return through.href;
    },
    cut() {
      state = "cut";
      reset();
    },
    freeze() {
      state = "frozen";
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    silence(bytes, which) {
      const open = [...pairs];
      for (const pair of which === undefined ? open : open.slice(which, which + 1)) mute(pair, bytes);
    },
    restore() {
      for (const [near, far] of pairs) {
        far.removeAllListeners("data");
        near.unpipe(far).pipe(far);
        far.unpipe(near).pipe(near);
      }
      state = "whole";
    },
    connections: () => pairs.size,
    close() {
      reset();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
