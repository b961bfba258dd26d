// One large event and many endpoints: its deliveries are written in parts, so that they take this process little
// memory.
import { Client } from "pg";
import { afterEach, expect, it, vi } from "vitest";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
entities:
  ticket:
    fields:
      title: text
    permissions:
      admin: { all: true }
`;

let hooked: Hooked | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  await hooked?.close();
  hooked = null;
});

it("deliveries of a large event are written in parts", async () => {
  hooked = await openHooked(blueprint, () => ({}));
  const { work, call, receiver, createTicket } = hooked;
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/hook`, events: ["ticket.*"] });
  await work.sql(
    `INSERT INTO plinth.webhook_endpoints (id, project_id, url, description, events, role, payload, signing, enabled, open_until)
     SELECT gen_random_uuid(), project_id, url, description, events, role, payload, signing, true, now() + interval '1 day'
     FROM plinth.webhook_endpoints, generate_series(1, 39) WHERE id = '${id}'`,
  );
  const queries = vi.spyOn(Client.prototype, "query");
  await createTicket("x".repeat(90_000));
  const waiting = () => work.sql("SELECT count(*)::int AS n FROM plinth.webhook_deliveries");
  await expect.poll(async () => (await waiting())[0]?.["n"], { timeout: 20_000, interval: 100 }).toBe(40);
  const written = queries.mock.calls.map(([, values]) => (Array.isArray(values) ? String(values[1] ?? "").length : 0));
  expect(Math.max(...written)).toBeGreaterThan(1_000_000);
  expect(Math.max(...written)).toBeLessThan(3_000_000);
}, 60_000);

it("a record that is too large for many copies is sent as its id", async () => {
  hooked = await openHooked(blueprint, () => ({}));
  const { call, receiver, createTicket } = hooked;
  await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/hook`, events: ["ticket.*"] });
  await createTicket("x".repeat(110_000));
  await createTicket("short");
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2);
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  const large = bodies.find(({ record }) => record.title === undefined);
  expect(large).toMatchObject({ name: "ticket.created", old: null, data: null });
  expect(Object.keys(large.record)).toEqual(["id"]);
  expect(bodies.find((body) => body !== large)).toMatchObject({ record: { title: "short" } });
});
