// A write reaches an endpoint at once, and not with the next poll, even if a project only has endpoints and nothing
// else that listens.
import { randomUUID } from "node:crypto";
import { afterEach, expect, it } from "vitest";
import { makeKey } from "../modes/testing/cell.ts";
import { type HooksCell, openHooksCell } from "../modules/webhooks-in/testing/hooks.ts";
import { type Receiver, startReceiver } from "../workflows/testing/receiver.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;
const TICKETS = 15;

let hooks: HooksCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await hooks?.close();
  await receiver?.close();
});

it("a webhook is sent soon after the request that causes it", { timeout: 60_000 }, async () => {
  const target = await startReceiver(() => ({}));
  receiver = target;
  const { call, work, url } = await openHooksCell(blueprint).then((opened) => {
    hooks = opened;
    return opened;
  });
  await call("/v1/webhook-endpoints", { url: target.url, events: ["ticket.created"] });
  const { key } = await makeKey(work.cell, work.projectId, { role: "admin" });
  const tookMs: number[] = [];
  for (let at = 0; at < TICKETS; at++) {
    const startedMs = performance.now();
    const reply = await fetch(`${url}/v1/resources/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": randomUUID() },
      body: JSON.stringify({ title: "a ticket" }),
    });
    expect(reply.status).toBe(201);
    await expect.poll(() => target.received.length, { timeout: 10_000, interval: 5 }).toBe(at + 1);
    tookMs.push(performance.now() - startedMs);
  }
  // With polling, the median would be a quarter of a second.
  expect(tookMs.sort((a, b) => a - b)[Math.floor(TICKETS / 2)]).toBeLessThan(200);
});
