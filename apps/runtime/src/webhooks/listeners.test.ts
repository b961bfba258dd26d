// Listeners: endpoints whose deliveries are pulled. They are signed like others, each is attempted once, and a listener
// that stops pulling gets nothing.
import { Webhook } from "standardwebhooks";
import { afterEach, expect, it } from "vitest";
import { LISTENERS_MAX, sweepListeners } from "./listeners.ts";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
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

async function open() {
  hooked = await openHooked(blueprint);
  const { call, work } = hooked;
  const listen = (events: readonly string[] = ["*"]) =>
    call("POST", "/v1/webhook-endpoints", { url: `${hooked?.receiver.url}/hook`, events, listener: true });
  const pull = async (id: string, outcomes: readonly object[] = []) =>
    (await call("POST", `/v1/webhook-endpoints/${id}/pull`, { outcomes })).deliveries;
  /** The due deliveries, once there are any. */
  const pulled = async (id: string) => {
    for (let at = 0; at < 100; at++) {
      const deliveries = await pull(id);
      if (deliveries.length > 0) return deliveries;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("nothing came");
  };
  const deliveryOf = (id: string) => call("GET", `/v1/webhook-deliveries/${id}`);
  return { ...hooked, listen, pull, pulled, deliveryOf, sql: work.sql };
}

it("gets each event once, signed; its report is the attempt's outcome; nothing is called", async () => {
  const { listen, pull, pulled, deliveryOf, createTicket, receiver, call } = await open();
  const { id, secret, listens_until } = await listen(["ticket.*"]);
  expect(Date.parse(listens_until) - Date.now()).toBeGreaterThan(60_000);
  const record = await createTicket("first");
  await expect.poll(async () => (await call("GET", "/v1/webhook-deliveries")).length).toBe(1);
  // Longer than the time between two searches for due deliveries.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(receiver.received).toEqual([]);
  const [one, ...others] = await pulled(id);
  expect(others).toEqual([]);
  expect(new Webhook(secret).verify(one.body, one.headers)).toMatchObject({
    name: "ticket.created",
    record: { id: record, title: "first" },
  });
  // The listener has 30 seconds; another pull gets it only after these.
  expect(await pull(id)).toEqual([]);
  const { id: delivery, attempt } = one;
  const outcome = { id: delivery, attempt, status: 204, body: "thanks" };
  expect(await pull(id, [{ ...outcome, attempt: attempt + 1 }])).toEqual([]);
  expect((await deliveryOf(delivery)).status).toBe("pending");
  expect(await pull(id, [outcome])).toEqual([]);
  expect(await deliveryOf(delivery)).toMatchObject({
    status: "delivered",
    response_status: 204,
    attempts: 1,
    tries: [{ status: 204, response_body: "thanks", request_headers: { "webhook-id": `msg_${delivery}` } }],
  });
  expect(JSON.stringify(await deliveryOf(delivery))).not.toContain("webhook-signature");
});

it("a failure is not retried automatically, pauses nothing, and is repeated by a replay", async () => {
  const { listen, pull, pulled, deliveryOf, call, createTicket } = await open();
  const { id } = await listen();
  for (let at = 0; at < 6; at++) {
    await createTicket();
    const [{ id: delivery, attempt }] = await pulled(id);
    const end = at % 2 === 0 ? { status: 410 } : { error: "unreachable" };
    await pull(id, [{ id: delivery, attempt, ...end }]);
    const error = at % 2 === 0 ? "http_410" : "unreachable";
    expect(await deliveryOf(delivery)).toMatchObject({ status: "failed", error, attempts: 1 });
  }
  const endpoint = await call("GET", `/v1/webhook-endpoints/${id}`);
  expect(endpoint).toMatchObject({ enabled: true, paused_until: null, failures: 0 });
  const [last] = await call("GET", "/v1/webhook-deliveries");
  await call("POST", `/v1/webhook-deliveries/${last.id}/replay`, {});
  expect(await pulled(id)).toMatchObject([{ id: last.id, attempt: 2 }]);
});

it("a listener that stops pulling gets nothing, is swept, and deleted after a day; a pull revives it before", async () => {
  const { listen, pull, pulled, deliveryOf, createTicket, call, sql, work } = await open();
  const { id } = await listen();
  const { id: witness } = await call("POST", "/v1/webhook-endpoints", { url: "http://127.0.0.1:9/", events: ["*"] });
  await createTicket("seen");
  const [waiting] = await pulled(id);
  await sql("UPDATE plinth.webhook_endpoints SET listens_until = now() - interval '1 second' WHERE id = $1", [id]);
  await createTicket("unseen");
  const sent = async (endpoint: string) =>
    (await call("GET", "/v1/webhook-deliveries", undefined, `endpoint_id=${endpoint}`)).length;
  await expect.poll(() => sent(witness)).toBe(2);
  expect(await sent(id)).toBe(1);
  expect(await sweepListeners(work.cell.pool)).toBe(0);
  expect(await deliveryOf(waiting.id)).toMatchObject({ status: "failed", error: "listener_gone" });
  await pull(id);
  await createTicket("again");
  expect(await pulled(id)).toHaveLength(1);
  await sql("UPDATE plinth.webhook_endpoints SET listens_until = now() - interval '25 hours' WHERE id = $1", [id]);
  expect(await sweepListeners(work.cell.pool)).toBe(1);
  expect((await call("GET", "/v1/webhook-endpoints")).map((one: { id: string }) => one.id)).toEqual([witness]);
});

it("a project has a limited number at once; other endpoints can't be pulled", async () => {
  const { listen, pull, call } = await open();
  for (let at = 0; at < LISTENERS_MAX; at++) await listen();
  await expect(listen()).rejects.toMatchObject({ code: "conflict" });
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: "https://a.example", events: ["*"] });
  await expect(pull(id)).rejects.toMatchObject({ code: "not_found" });
  await expect(pull(crypto.randomUUID())).rejects.toMatchObject({ code: "not_found" });
  await expect(pull(id, [{ id, attempt: 1 }])).rejects.toMatchObject({ code: "validation_failed" });
});

it("the limit also holds when ended listeners are pulled or enabled again", async () => {
  const { listen, pull, call, sql } = await open();
  const first: string[] = [];
  for (let at = 0; at < LISTENERS_MAX; at++) first.push((await listen()).id);
  await sql("UPDATE plinth.webhook_endpoints SET listens_until = now() - interval '1 second'");
  const [ended = "", disabled = ""] = first;
  const change = (id: string, enabled: boolean) => call("PATCH", `/v1/webhook-endpoints/${id}`, { enabled });
  await change(disabled, false);
  const others: string[] = [];
  for (let at = 0; at < LISTENERS_MAX; at++) others.push((await listen()).id);
  await expect(pull(ended)).rejects.toMatchObject({ code: "conflict" });
  await change(disabled, true);
  await expect(pull(disabled)).rejects.toMatchObject({ code: "conflict" });
  const [other = ""] = others;
  await change(other, false);
  expect(await pull(ended)).toEqual([]);
  await expect(change(other, true)).rejects.toMatchObject({ code: "conflict" });
});

it("a delivery that can't be opened doesn't delay the others", async () => {
  const { listen, pulled, createTicket, sql, call } = await open();
  const { id } = await listen();
  for (const title of ["first", "second"]) await createTicket(title);
  await expect.poll(async () => (await call("GET", "/v1/webhook-deliveries")).length).toBe(2);
  await sql(
    "UPDATE plinth.webhook_bodies SET body = 'nothing' WHERE id = (SELECT body_id FROM plinth.webhook_deliveries ORDER BY id LIMIT 1)",
  );
  const given = await pulled(id);
  expect(given.map((one: { body: string }) => JSON.parse(one.body).record.title)).toEqual(["second"]);
});
