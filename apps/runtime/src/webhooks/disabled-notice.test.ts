// Who is informed that an endpoint was disabled: other endpoints of admins, and workflows; never the endpoint itself,
// and every chain ends.
import { afterEach, expect, it } from "vitest";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
entities:
  ticket:
    fields: { title: string, note: uuid? }
    permissions:
      admin: { all: true }
workflows:
  tell:
    on: webhook.endpoint_disabled
    steps:
      - record.create: { with: { entity: ticket, title: "\${{ event.data.reason }}", note: "\${{ event.data.endpoint_id }}" } }
`;

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

it("informs other endpoints and workflows, but not the endpoint itself", async () => {
  hooked = await openHooked(blueprint, ({ path }) => ({ status: path === "/gone" ? 410 : 200 }));
  const { call, receiver, createTicket, until, work } = hooked;
  const make = (path: string, events: readonly string[]) =>
    call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}${path}`, events });
  const gone = await make("/gone", ["ticket.created", "webhook.*"]);
  await make("/ops", ["webhook.endpoint_disabled"]);
  await createTicket();
  await until(() => receiver.received.some(({ path }) => path === "/ops"));
  const told = receiver.received.filter(({ path }) => path === "/ops").map(({ body }) => JSON.parse(body));
  expect(told).toMatchObject([
    { name: "webhook.endpoint_disabled", record: null, data: { endpoint_id: gone.id, reason: "gone" } },
  ]);
  await until(async () => (await work.sql("SELECT 1 FROM {schema}.tickets WHERE title = 'gone'")).length === 1);
  expect(await work.sql("SELECT note FROM {schema}.tickets WHERE title = 'gone'")).toEqual([{ note: gone.id }]);
  expect(receiver.received.filter(({ path }) => path === "/gone")).toHaveLength(1);
});

it("endpoints that are informed about each other are each disabled only once", async () => {
  hooked = await openHooked(blueprint, () => ({ status: 410 }));
  const { call, receiver, createTicket, until } = hooked;
  for (const path of ["/a", "/b", "/c"])
    await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}${path}`, events: ["webhook.*"] });
  const first = { url: `${receiver.url}/first`, events: ["ticket.created"] };
  await call("POST", "/v1/webhook-endpoints", first);
  await createTicket();
  await until(async () => (await call("GET", "/v1/webhook-endpoints", undefined, "state=disabled")).length === 4);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(receiver.received.length).toBeLessThanOrEqual(4);
});

it("a delivery that has finally failed is an event, but not one about such an event", async () => {
  const text = `${blueprint.replace("webhook.endpoint_disabled", "delivery.failed").replace("data.reason", "data.event").replace("data.endpoint_id", "data.delivery_id")}webhooks:
  out: { retry: 1 }
`;
  hooked = await openHooked(text, () => ({ status: 500 }));
  const { call, receiver, createTicket, until, work } = hooked;
  const make = (path: string, events: readonly string[]) =>
    call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}${path}`, events });
  await make("/shop", ["ticket.created"]);
  await make("/ops", ["delivery.failed"]);
  await createTicket();
  await until(() => receiver.received.some(({ path }) => path === "/ops"));
  const [told] = receiver.received.filter(({ path }) => path === "/ops").map(({ body }) => JSON.parse(body));
  expect(told).toMatchObject({ name: "delivery.failed", data: { event: "ticket.created", code: "http_500" } });
  const failed = "SELECT id FROM plinth.webhook_deliveries WHERE status = 'failed' AND event_name = ";
  await until(async () => (await work.sql(`${failed}'delivery.failed'`)).length > 0);
  const [delivery] = await work.sql(`${failed}'ticket.created'`);
  await until(async () => (await work.sql("SELECT 1 FROM {schema}.tickets WHERE title = 'ticket.created'")).length > 0);
  expect(await work.sql("SELECT note FROM {schema}.tickets WHERE title = 'ticket.created'")).toEqual([
    { note: delivery?.["id"] },
  ]);
  expect(await work.sql("SELECT 1 FROM {schema}.tickets WHERE title = 'delivery.failed'")).toEqual([]);
});
