// A service that the steps of generated workflows call: it fails, answers late, or loses its answer, according to each
// call's plan. In: HTTP with an idempotency key. Out: one effect for each key. It remembers every effect, and listens
// on loopback.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Trouble } from "./generated-workflow.ts";

export interface FickleService {
  readonly url: string;
  /** The trouble of the calls with a label; default: none. */
  expect(label: string, trouble: Trouble): void;
  /** Effects by label. */
  readonly effects: ReadonlyMap<string, number>;
  stop(): void;
}

const calm: Trouble = { how: "none", times: 0 };
/** Longer than the steps' own timeout. */
const LATE_MS = 600;

export async function startFickleService(): Promise<FickleService> {
  const troubles = new Map<string, Trouble>();
  const effects = new Map<string, number>();
  /** Key > number of calls. */
  const asked = new Map<string, number>();
  const acted = new Set<string>();
  const act = (key: string, label: string): void => {
    if (acted.has(key)) return;
    acted.add(key);
    effects.set(label, (effects.get(label) ?? 0) + 1);
  };
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"] ?? "");
    const label = (request.url ?? "/").slice(1);
    request.resume();
    request.on("end", () => {
      const times = (asked.get(key) ?? 0) + 1;
      asked.set(key, times);
      const { how, times: wrong } = troubles.get(label) ?? calm;
      switch (wrong !== null && times > wrong ? "none" : how) {
        case "none":
          act(key, label);
          answer(response, 200);
          return;
        case "busy":
          answer(response, 503);
          return;
        case "slow_down":
          response.setHeader("retry-after", "2");
          answer(response, 429);
          return;
        case "refused":
          answer(response, 422);
          return;
        case "unheard":
          response.destroy();
          return;
        case "lost":
          act(key, label);
          response.destroy();
          return;
        case "late":
          act(key, label);
          setTimeout(() => answer(response, 200), LATE_MS).unref();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    expect: (label, trouble) => void troubles.set(label, trouble),
    effects,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-type": "application/json" }).end(`{"status":${status}}`);
}
