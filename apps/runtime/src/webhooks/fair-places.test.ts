// Many dead endpoints of one project: they take no place that the project's own healthy endpoint needs, and none of
// another project's.

import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
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
const DEAD = 200;
const TICKETS = 10;

let hooked: Hooked | null = null;
let silent: Server | null = null;
const sockets = new Set<Socket>();
afterEach(async () => {
  await hooked?.close();
  hooked = null;
  for (const socket of sockets) socket.destroy();
  silent?.close();
});

it("a healthy endpoint is not starved by its project's dead ones", { timeout: 60_000 }, async () => {
  hooked = await openHooked(blueprint, ({ path }) => ({ status: path === "/500" ? 500 : 200 }));
  const { receiver, call, createTicket, work } = hooked;
  await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/live`, events: ["*"] });
  await createTicket("the first");
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(1);

  const server = createServer((socket) => void sockets.add(socket.on("error", () => {}).resume()));
  silent = server;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A third of them accept a connection and don't answer, a third answer 500, a third refuse.
  const urls = [
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    `${receiver.url}/500`,
    "http://127.0.0.1:1/",
  ];
  await work.sql(
    `INSERT INTO plinth.webhook_endpoints (id, project_id, url, description, events, role, payload, signing, enabled)
     SELECT gen_random_uuid(), project_id, ('{${urls.join()}}'::text[])[1 + n % 3], '', events, role, payload, signing, true
     FROM plinth.webhook_endpoints, generate_series(1, ${DEAD}) n`,
  );
  const arrived = (): number => receiver.received.filter(({ path }) => path === "/live").length;
  for (let at = 0; at < TICKETS; at++) await createTicket(`ticket ${at}`);
  await expect.poll(arrived, { timeout: 8_000, interval: 20 }).toBe(TICKETS + 1);
  // While the silent ones hold their deliveries.
  await createTicket("the last");
  const startedMs = performance.now();
  await expect.poll(arrived, { timeout: 8_000, interval: 20 }).toBe(TICKETS + 2);
  expect(performance.now() - startedMs).toBeLessThan(3_000);
  expect(sockets.size).toBeLessThanOrEqual(10);
});
