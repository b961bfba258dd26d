// The service that the workflow calls: a fake of an external provider. In: HTTP with an idempotency key. Out: one
// effect for each key, however often it is called. It runs in the harness, which is never killed, and remembers
// everything.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Outside {
  readonly url: string;
  /** Key > number of calls. */
  readonly calls: ReadonlyMap<string, number>;
  /** Ticket > effects. */
  readonly effects: ReadonlyMap<string, number>;
  stop(): void;
}

export async function startOutside(): Promise<Outside> {
  const calls = new Map<string, number>();
  const effects = new Map<string, number>();
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"] ?? "");
    const ticket = new URL(request.url ?? "/", "http://outside").pathname.slice(1);
    request.resume();
    request.on("end", () => {
      const before = calls.get(key) ?? 0;
      calls.set(key, before + 1);
      if (before === 0) effects.set(ticket, (effects.get(ticket) ?? 0) + 1);
      // Long enough that a kill can happen between the effect and the answer.
      setTimeout(() => response.setHeader("content-type", "application/json").end(`{"ticket":"${ticket}"}`), 20);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    effects,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
