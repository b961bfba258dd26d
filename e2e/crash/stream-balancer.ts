// A load balancer in front of several web processes. Each connection goes to a random process, and sometimes one is cut
// in the middle of its data. In: ports. Out: one address. It doesn't read the data.

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface Balancer {
  readonly url: string;
  /** Cuts some of the open connections. @param share Between 0 and 1. */
  cut(share: number): void;
  stop(): void;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const port = ports[Math.floor(Math.random() * ports.length)] as number;
    const target = connect(port, "127.0.0.1");
    open.add(client);
    const end = (): void => {
      open.delete(client);
      client.destroy();
      target.destroy();
    };
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.pipe(target);
    target.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: (share) => {
      for (const socket of open) if (Math.random() < share) socket.destroy();
    },
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
