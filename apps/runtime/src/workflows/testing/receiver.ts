// For tests: another service, on its own port. In: its answers. Out: the received requests, and how many came at once.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly afterMs?: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** The maximum number of simultaneous requests. */
  readonly atOnceMax: () => number;
  close(): Promise<void>;
}

export async function startReceiver(answer: (request: Received, at: number) => Answer): Promise<Receiver> {
  const received: Received[] = [];
  let atOnce = 0;
  let atOnceMax = 0;
  const server = createServer(async (incoming, response) => {
    atOnce++;
    atOnceMax = Math.max(atOnceMax, atOnce);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = incoming;
    const request: Received = { method, path: url, headers, body: Buffer.concat(chunks).toString("utf8") };
    const { status = 200, headers: answered = {}, body = "", afterMs = 0 } = answer(request, received.push(request));
    if (afterMs > 0) await new Promise((resolve) => setTimeout(resolve, afterMs));
    atOnce--;
    response.writeHead(status, answered).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    atOnceMax: () => atOnceMax,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
