// The rules of a blueprint for outbound webhooks in use: which events are sent, how they are retried and stored, the
// settings of a new endpoint, and that the operator's limits have priority.
import { afterEach, expect, it } from "vitest";
import type { Answer, Received } from "../workflows/testing/receiver.ts";
import { sweepDeliveries } from "./delivery-retention.ts";
import { nextDelayMs } from "./retry.ts";
import { defaultWebhookLimits, rulesOf, type WebhookLimits } from "./rules.ts";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = (out: string): string => `project: desk
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
webhooks:
  out: ${out}
`;

/** The machine may be busy with other tests. */
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 10_000 });

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

async function open(
  out: string,
  answer: (request: Received, at: number) => Answer = () => ({}),
  webhookLimits: WebhookLimits = defaultWebhookLimits,
): Promise<Hooked> {
  hooked = await openHooked(blueprint(out), answer, { webhookLimits });
  return hooked;
}

it("a new endpoint has the blueprint's payload and signature, unless it sets others", async () => {
  const { call, receiver, createTicket, until } = await open("{ payload: thin, signing: v1a }");
  const made = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  expect(made).toMatchObject({ payload: "thin", signing: "ed25519", secret: null });
  const other = { url: `${receiver.url}/other`, events: ["*"], payload: "full", signing: "hmac" };
  expect(await call("POST", "/v1/webhook-endpoints", other)).toMatchObject({ payload: "full", signing: "hmac" });
  const id = await createTicket();
  await until(() => receiver.received.length === 2);
  const records = receiver.received.map(({ path, body }) => [path, JSON.parse(body).record]);
  expect(new Map(records as [string, object][]).get("/")).toEqual({ id });
  expect(new Map(records as [string, object][]).get("/other")).toMatchObject({ title: "first" });
});

it("endpoints receive the events that the blueprint names, and can't subscribe to others", async () => {
  const { call, receiver, createTicket, until, work } = await open("{ events: [ticket.created] }");
  const url = receiver.url;
  await expect(call("POST", "/v1/webhook-endpoints", { url, events: ["ticket.updated"] })).rejects.toMatchObject({
    code: "validation_failed",
  });
  const { id } = await call("POST", "/v1/webhook-endpoints", { url, events: ["*"] });
  await createTicket();
  await until(() => receiver.received.length === 1);
  await work.redeploy({ outbound: { events: ["ticket.deleted"] } });
  await createTicket("second");
  await work.redeploy({ outbound: {} });
  await createTicket("third");
  await until(() => receiver.received.length === 2);
  expect(receiver.received.map(({ body }) => JSON.parse(body).record.title)).toEqual(["first", "third"]);
  await work.redeploy({ outbound: { events: [] } });
  await expect(call("POST", `/v1/webhook-endpoints/${id}/test`, {})).rejects.toMatchObject({ code: "conflict" });
});

it("a delivery of an event that the live release no longer names is not sent", async () => {
  const { call, receiver, createTicket, until, work } = await open("{}", () => ({ status: 500 }));
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket();
  const status = async (): Promise<string> => (await call("GET", "/v1/webhook-deliveries"))[0]?.status;
  await poll(async () => (await call("GET", "/v1/webhook-deliveries"))[0]?.error).toBe("http_500");
  await work.redeploy({ outbound: { events: ["ticket.deleted"] } });
  await until(async () => (await status()) === "revoked");
  expect(receiver.received).toHaveLength(1);
});

it("the number of attempts follows the blueprint, even for earlier deliveries", async () => {
  const { call, receiver, createTicket, until, work } = await open("{ retry: 3 }", () => ({ status: 500 }));
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket();
  const failed = async (): Promise<boolean> => (await call("GET", "/v1/webhook-deliveries"))[0]?.status === "failed";
  await until(failed);
  expect(receiver.received).toHaveLength(3);
  await createTicket("second");
  await poll(() => receiver.received.length).toBe(4);
  await work.redeploy({ outbound: { attempts: 2 } });
  await until(failed);
  expect(receiver.received).toHaveLength(5);
});

it("an endpoint is disabled after the blueprint's time, within the operator's days", async () => {
  const { call, receiver, createTicket, until, work } = await open("{ disable_after: 2h }", () => ({ status: 500 }));
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket();
  await poll(() => receiver.received.length).toBe(1);
  await work.sql("UPDATE plinth.webhook_endpoints SET failing_since = now() - interval '3 hours'");
  await until(async () => !(await call("GET", `/v1/webhook-endpoints/${id}`)).enabled);
  const days = (ms: number): number => ms / 86_400_000;
  const limits = { ...defaultWebhookLimits, failingDaysMax: 3 };
  expect(days(rulesOf({ disableAfterMs: 300 * 86_400_000 }, limits).failingMsMax)).toBe(3);
  expect(days(rulesOf({}, { ...limits, failingDaysMax: 30 }).failingMsMax)).toBe(5);
});

it.each([
  ["{ concurrency: 3 }", 20, 3],
  ["{ concurrency: 12 }", 4, 4],
])("%s, with an operator's limit of %i: %i calls at once", async (out, concurrencyMax, most) => {
  const { call, receiver, createTicket } = await open(out, () => ({ afterMs: 150 }), {
    ...defaultWebhookLimits,
    concurrencyMax,
  });
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  for (let at = 0; at < 24; at++) await createTicket(`ticket ${at}`);
  await poll(() => receiver.received.length).toBe(24);
  expect(receiver.atOnceMax()).toBe(most);
});

it("deliveries are stored for the blueprint's time, and never longer than the operator's", async () => {
  const { call, receiver, createTicket, until, work } = await open("{ retention: 7d }");
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  for (const title of ["first", "second"]) await createTicket(title);
  await until(async () => (await call("GET", "/v1/webhook-deliveries", undefined, "status=delivered")).length === 2);
  const old = async (days: number, at: number): Promise<void> => {
    const ms = Date.now() - days * 86_400_000;
    const hex = ms.toString(16).padStart(12, "0");
    await work.sql(
      `WITH one AS (SELECT id FROM plinth.webhook_deliveries ORDER BY id DESC LIMIT 1 OFFSET ${at}),
         gone AS (DELETE FROM plinth.webhook_attempts WHERE delivery_id IN (SELECT id FROM one))
       UPDATE plinth.webhook_deliveries d SET id = ('${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001')::uuid,
         ended_at = to_timestamp(${ms} / 1000.0) FROM one WHERE d.id = one.id`,
    );
  };
  await old(8, 0);
  await old(6, 0);
  expect(await sweepDeliveries(work.cell.pool, 30, () => false)).toBe(1);
  expect(await sweepDeliveries(work.cell.pool, 5, () => false)).toBe(1);
});

it("pauses follow the blueprint, a tenth longer at most, and end with the operator's days", () => {
  const pauses = { backoff: "exponential", delayMs: 10_000, delayMsMax: 60_000 } as const;
  const rules = rulesOf({ attempts: 6, pauses }, defaultWebhookLimits);
  const seconds = [1, 2, 3, 4, 5, 6].map((tries) => (nextDelayMs(tries, 0, 0, rules) ?? 0) / 1_000);
  expect(seconds).toEqual([10, 20, 40, 60, 60, 0]);
  expect(nextDelayMs(1, 0, 1, rules)).toBe(11_000);
  // A number without pauses continues with the schedule's last pause.
  expect(nextDelayMs(11, 0, 0, rulesOf({ attempts: 12 }, defaultWebhookLimits))).toBe(10 * 3_600_000);
  const daily = { attempts: 20, pauses: { ...pauses, delayMs: 86_400_000, delayMsMax: 86_400_000 } };
  const short = rulesOf(daily, { ...defaultWebhookLimits, failingDaysMax: 3 });
  expect([nextDelayMs(3, 0, 0, short), nextDelayMs(4, 0, 0, short)]).toEqual([86_400_000, null]);
});
