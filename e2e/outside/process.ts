// The frame of a process outside of Plinth: a provider, a receiver, a mail server. In: its routes. Out: an HTTP
// listener on loopback that prints its address on stdout, and ends with the process that started it.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Called {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly body: string;
}

export interface Said {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Prints `ready {"url": ..., ...facts}` when it listens. @param answer If it throws, the reply is 500. */
export async function serveOutside(
  answer: (called: Called) => Promise<Said> | Said,
  facts: object = {},
): Promise<void> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const called: Called = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    };
    const { status, body = {} } = await Promise.resolve(called)
      .then(answer)
      .catch((error: unknown): Said => ({ status: 500, body: { error: String(error) } }));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready ${JSON.stringify({ url: `http://127.0.0.1:${port}`, ...facts })}\n`);
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.exit(0), 1_000).unref();
}
