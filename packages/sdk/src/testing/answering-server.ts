// A real HTTP server for tests of the transport. In: the answer to each request. Out: its address, the requests, and how many of them
// are open. It knows nothing of the API.
import { createServer, type IncomingMessage, type Server } from "node:http";

export interface Sent {
  readonly call: string;
  readonly headers: IncomingMessage["headers"];
  readonly at: number;
}

/** With null it never answers. */
export type Answer = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
} | null;

export interface AnsweringServer {
  readonly baseUrl: string;
  readonly sent: Sent[];
  answer: (sent: Sent) => Answer;
  /** How many requests have no answer yet, and are not ended by the client. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

export async function startAnsweringServer(): Promise<AnsweringServer> {
  let open = 0;
  const sent: Sent[] = [];
  const server: Server = createServer((request, response) => {
    open++;
    response.on("close", () => open--);
    const entry = { call: `${request.method} ${request.url}`, headers: request.headers, at: Date.now() };
    sent.push(entry);
    request.resume();
    request.on("end", () => {
      const given = self.answer(entry);
      if (given === null) return;
      response.writeHead(given.status, { "content-type": "application/json", ...given.headers });
      response.end(given.body === undefined ? undefined : JSON.stringify(given.body));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const self: AnsweringServer = {
    baseUrl: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    sent,
    answer: () => null,
    open: () => open,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return self;
}
