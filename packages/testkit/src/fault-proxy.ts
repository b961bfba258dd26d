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
  restore(): void;
  /** The number of open connections. */
  connections(): number;
  close(): Promise<void>;
};

export type FaultProxyOptions = {
  /** `host:port`, or a URL with both. */
  readonly target: string;
};

export async function createFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const target = new URL(options.target.includes("://") ? options.target : `tcp://${options.target}`);
  const pairs = new Set<readonly [Socket, Socket]>();
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
    restore() {
      if (state === "frozen") {
        for (const [near, far] of pairs) {
          near.pipe(far);
          far.pipe(near);
        }
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
