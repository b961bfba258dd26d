// Receivers that behave badly: silent, slow, endless answers, or never reading. In: bad receivers and a good one in one
// project. Out: the good one gets everything soon; the results of the others are recorded correctly, and take no
// memory.

import type { AddressInfo, Socket } from "node:net";
import { createServer, type Server } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;
const TICKETS = 20;
const ANSWER_MB = 100;

let hooked: Hooked | null = null;
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(async () => {
  await hooked?.close();
  hooked = null;
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** Raw bytes, because no HTTP server would let a test do this. */
async function startBad(behave: (socket: Socket) => void): Promise<string> {
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    behave(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it("bad receivers delay no good one, and take no memory", { timeout: 90_000 }, async () => {
  hooked = await openHooked(blueprint, () => ({}));
  const { receiver, call, createTicket, work } = hooked;
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${ANSWER_MB * 1_048_576}\r\n\r\n`;
  let sent = 0;
  const bad = {
    // It never reads and never answers.
    unread: await startBad(() => {}),
    silent: await startBad((socket) => void socket.resume()),
    slow: await startBad((socket) => {
      socket.resume();
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      const drip = setInterval(() => socket.write("x"), 500);
      socket.on("close", () => clearInterval(drip));
    }),
    endless: await startBad((socket) => {
      socket.resume();
      socket.write(head);
      const chunk = Buffer.alloc(1_048_576);
      const more = (): void => {
        if (socket.destroyed || sent >= ANSWER_MB * TICKETS) return;
        sent++;
        socket.write(chunk, more);
      };
      more();
    }),
  };
  const ids = new Map<string, string>();
  for (const [name, url] of [["good", `${receiver.url}/good`], ...Object.entries(bad)] as const) {
    ids.set(name, (await call("POST", "/v1/webhook-endpoints", { url, events: ["*"] })).id);
  }
  const startedMs = performance.now();
  for (let at = 0; at < TICKETS; at++) await createTicket(`ticket ${at}`);
  await expect.poll(() => receiver.received.length, { timeout: 14_000 }).toBe(TICKETS);
  // Before the first of the silent ones is given up.
  expect(performance.now() - startedMs).toBeLessThan(14_000);
  const errorsOf = async (name: string): Promise<readonly string[]> =>
    (
      await work.sql(
        `SELECT DISTINCT d.error FROM plinth.webhook_deliveries d WHERE d.endpoint_id = '${ids.get(name)}' AND d.error IS NOT NULL`,
      )
    ).map((row) => String((row as { readonly error: string }).error));
  for (const [name, error] of [
    ["unread", "no_answer"],
    ["silent", "no_answer"],
    ["slow", "no_answer"],
    ["endless", "too_large"],
  ] as const) {
    await expect.poll(() => errorsOf(name), { timeout: 40_000 }).toEqual([error]);
  }
  // At most one MB of each answer is read, and some more is on its way.
  expect(sent).toBeLessThan(ANSWER_MB);
});
