// One large event and many endpoints: its deliveries are created in parts and share their body, so that they take this
// process and the disk little room.
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

it("a large event is stored once for all endpoints that see the same of it", async () => {
  hooked = await openHooked(blueprint, () => ({}));
  const { work, call, receiver, createTicket } = hooked;
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/hook`, events: ["ticket.*"] });
  // More than one transaction creates, two forms of the body, and no calls.
  await work.sql(
    `INSERT INTO plinth.webhook_endpoints (id, project_id, url, description, events, role, payload, signing, enabled, open_until)
     SELECT gen_random_uuid(), project_id, url, description, events, role, CASE WHEN n % 2 = 0 THEN 'full' ELSE 'thin' END, signing,
       true, now() + interval '1 day'
     FROM plinth.webhook_endpoints, generate_series(1, 999) n WHERE id = '${id}'`,
  );
  const queries = vi.spyOn(Client.prototype, "query");
  await createTicket("x".repeat(90_000));
  const stored = async () =>
    (
      await work.sql(
        `SELECT (SELECT count(*)::int FROM plinth.webhook_deliveries) AS deliveries, count(*)::int AS bodies, sum(deliveries)::int AS uses,
           sum(bytes)::int AS bytes FROM plinth.webhook_bodies`,
      )
    )[0];
  await expect.poll(async () => (await stored())?.["deliveries"], { timeout: 20_000, interval: 100 }).toBe(1_000);
  const { bodies, uses, bytes } = (await stored()) ?? {};
  expect({ bodies, uses }).toEqual({ bodies: 2, uses: 1_000 });
  expect(bytes).toBeLessThan(150_000);
  const inserts = queries.mock.calls.filter(([text]) => String(text).includes("INSERT INTO plinth.webhook_deliveries"));
  expect(inserts.length).toBeGreaterThan(1);
  await call("DELETE", `/v1/webhook-endpoints/${id}`);
  expect((await stored())?.["uses"]).toBe(999);
  await work.sql("DELETE FROM plinth.webhook_endpoints");
  expect((await stored())?.["bodies"]).toBe(0);
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
