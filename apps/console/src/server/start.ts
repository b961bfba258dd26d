// The server of the console. In: a configuration. Out: a listening server with a function to stop it. The proxy handles requests for the
// control API, because the client's connection is known here; Next.js handles all others.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import next from "next";
import type { ConsoleConfig } from "./config.ts";
import { createControlProxy } from "./control-proxy.ts";

export interface ConsoleServer {
  readonly url: string;
  stop(): Promise<void>;
}

const HEADERS_MS_MAX = 10_000;
const REQUEST_MS_MAX = 30_000;

export async function startConsole(config: ConsoleConfig): Promise<ConsoleServer> {
  const proxy = createControlProxy(config);
  const server = createServer({
    headersTimeout: HEADERS_MS_MAX,
    requestTimeout: REQUEST_MS_MAX,
    connectionsCheckingInterval: 2_000,
  });
  const pages = next({
    dev: false,
    dir: resolve(import.meta.dirname, "../.."),
    hostname: config.host,
    port: config.port,
    httpServer: server,
  });
  await pages.prepare();
  const answer = pages.getRequestHandler();
  server.on("request", (incoming, outgoing) => {
    if (proxy.takes(incoming)) proxy.forward(incoming, outgoing);
    else void answer(incoming, outgoing);
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(config.port, config.host, listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${config.host}:${port}`,
    stop: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeIdleConnections();
      await closed;
      proxy.close();
      await pages.close();
    },
  };
}
