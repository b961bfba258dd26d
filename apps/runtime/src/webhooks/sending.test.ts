// Guarantees of sending: a dead endpoint costs the others nothing, no delivery is sent twice at the same time, and if a
// process dies, another one sends its deliveries.
import { afterEach, expect, it } from "vitest";
import { sweepDeliveries } from "./delivery-retention.ts";
import { nextDelayMs, pauseMs, retryAfterMs } from "./retry.ts";
import { defaultWebhookLimits, rulesOf } from "./rules.ts";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

/** The machine may be busy with other tests. */
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 10_000 });

it("an endpoint that never answers only uses its own places", async () => {
  hooked = await openHooked(blueprint, ({ path }) => ({ afterMs: path === "/dead" ? 12_000 : 0 }));
  const { receiver, call, createTicket } = hooked;
  for (const path of ["dead", "live"])
    await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/${path}`, events: ["*"] });
  for (let at = 0; at < 60; at++) await createTicket(`ticket ${at}`);
  const sent = (path: string): number => receiver.received.filter((one) => one.path === path).length;
  await poll(() => sent("/live")).toBe(60);
  expect(sent("/dead")).toBeLessThanOrEqual(8);
});

it("two processes send each delivery once", async () => {
  hooked = await openHooked(blueprint, () => ({ afterMs: 100 }));
  const { receiver, call, createTicket, work } = hooked;
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await work.addProcess();
  for (let at = 0; at < 40; at++) await createTicket(`ticket ${at}`);
  await poll(() => receiver.received.length).toBe(40);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
  expect(receiver.received).toHaveLength(40);
  expect(receiver.atOnceMax()).toBeLessThanOrEqual(8);
});

it("the delivery of a dead process is sent when its lease has ended, and not before", async () => {
  let down = true;
  hooked = await openHooked(blueprint, () => ({ status: down ? 500 : 200 }));
  const { receiver, call, createTicket, work } = hooked;
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket();
  await poll(() => receiver.received.length).toBe(1);
  await poll(
    async () => (await work.sql("SELECT 1 FROM plinth.webhook_deliveries WHERE error IS NOT NULL")).length,
  ).toBe(1);
  down = false;
  // The state after a process ended in the middle of its call.
  const taken = "UPDATE plinth.webhook_endpoints SET holder = gen_random_uuid(), fence = fence + 1, lease_until = ";
  await work.sql(`${taken} now() + interval '1 hour'`);
  await work.sql("UPDATE plinth.webhook_deliveries SET due_at = now()");
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(receiver.received).toHaveLength(1);
  await work.sql("UPDATE plinth.webhook_endpoints SET lease_until = now() - interval '1 second'");
  await poll(() => receiver.received.length).toBe(2);
  expect(receiver.received[0]!.headers["webhook-id"]).toBe(receiver.received[1]!.headers["webhook-id"]);
});

it("an endpoint that fails again and again is left alone for a while", async () => {
  hooked = await openHooked(blueprint, () => ({ status: 500 }));
  const { receiver, call, createTicket } = hooked;
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  for (let at = 0; at < 30; at++) await createTicket(`ticket ${at}`);
  await poll(async () => (await call("GET", `/v1/webhook-endpoints/${id}`)).paused_until).not.toBeNull();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(receiver.received.length).toBeLessThanOrEqual(16);
});

it("the delays add up to 27 h 35 min, a tenth more at most, and Retry-After is limited", () => {
  const usual = rulesOf({}, defaultWebhookLimits);
  const sum = (random: number): number =>
    Array.from({ length: 7 }, (_, at) => nextDelayMs(at + 1, 0, random, usual) ?? 0).reduce(
      (one, other) => one + other,
      0,
    );
  expect(sum(0) / 60_000).toBeCloseTo(27 * 60 + 35, 0);
  expect(sum(1)).toBeLessThanOrEqual(sum(0) * 1.1 + 1);
  expect(nextDelayMs(8, 0, 0, usual)).toBeNull();
  expect(nextDelayMs(1, 60_000, 0, usual)).toBe(60_000);
  expect(nextDelayMs(1, 1e12, 0, usual)).toBe(12 * 3_600_000);
  const now = Date.parse("2026-05-01T00:00:00Z");
  expect(retryAfterMs("120", now)).toBe(120_000);
  expect(retryAfterMs("Fri, 01 May 2026 00:01:00 GMT", now)).toBe(60_000);
  expect([retryAfterMs("soon", now), retryAfterMs("-5", now), retryAfterMs(undefined, now)]).toEqual([0, 0, 0]);
  expect([pauseMs(0), pauseMs(1), pauseMs(50)]).toEqual([30_000, 60_000, 600_000]);
});

it("ended deliveries are deleted with the events, including their attempts; waiting ones stay", async () => {
  hooked = await openHooked(blueprint, (_, at) => ({ status: at === 1 ? 200 : 500 }));
  const { receiver, call, createTicket, work } = hooked;
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket("first");
  await poll(() => receiver.received.length).toBe(1);
  await createTicket("second");
  await poll(async () => (await call("GET", "/v1/webhook-deliveries", undefined, "status=pending")).length).toBe(1);
  await poll(async () => (await call("GET", "/v1/webhook-deliveries", undefined, "status=delivered")).length).toBe(1);
  await work.sql(
    "UPDATE plinth.webhook_deliveries SET created_at = now() - interval '60 days', ended_at = ended_at - interval '8 days'",
  );
  expect(await sweepDeliveries(work.cell.pool, 9, () => false)).toBe(0);
  expect(await sweepDeliveries(work.cell.pool, 7, () => false)).toBe(1);
  expect(await call("GET", "/v1/webhook-deliveries")).toMatchObject([{ status: "pending" }]);
});
