// The specification's parcel desk, with each part in a separate process: a customer's shipment gets its label, a
// receipt by mail and a webhook; the carrier moves it; a payment that is reported twice, late and in any order has each
// of its four effects once.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Caller, callerOf, signUp } from "./api.ts";
import { type DeployedProject, type Installation, startInstallation } from "./installation.ts";
import { endpointAt, type Outside, type Received, receivedAt, startOutside } from "./outside/start.ts";

const text = readFileSync(join(import.meta.dirname, "../docs/examples/parcel-desk.yaml"), "utf8");
const soon = { timeout: 20_000, interval: 100 };

let plinth: Installation;
let provider: Outside;
let receiver: Outside;
let mail: Outside;
let project: DeployedProject;
let admin: Caller;
let ana: { readonly id: string; readonly as: Caller };
let stripe: Stripe;

beforeAll(async () => {
  [plinth, provider, receiver, mail] = await Promise.all([
    startInstallation(),
    startOutside("provider"),
    startOutside("receiver"),
    startOutside("mail"),
  ]);
  project = await plinth.deploy("parcel-desk", text);
  admin = callerOf(plinth.apiUrl, project.keys.secret);
  ana = await signUp(plinth.apiUrl, project.keys.publishable, "ana@example.com");
  const { port, hostname: host } = new URL(provider.url);
  stripe = new Stripe("sk_test_of_the_fake", { host, port: Number(port), protocol: "http", maxNetworkRetries: 2 });
  await connectMail();
  await connectProvider();
  await endpointAt(receiver, admin, "/desk", { events: ["*"] });
  await endpointAt(receiver, admin, "/ana", { events: ["shipment.*"], user_id: ana.id });
}, 180_000);

afterAll(async () => {
  await Promise.all([provider, receiver, mail, plinth].map((each) => each?.stop()));
});

async function connectMail(): Promise<void> {
  const settings = { host: "127.0.0.1", port: mail.facts["smtpPort"], security: "none" };
  const from = { from_address: "desk@example.com", from_name: "Parcel desk" };
  const made = await admin.post("/v1/connections", {
    name: "email",
    provider: "smtp",
    settings: { ...settings, ...from },
  });
  expect(made.status, made.text).toBe(200);
}

/** A secret for each source, and the project's addresses for the providers. */
async function connectProvider(): Promise<void> {
  const { body } = await admin.get("/v1/webhooks/sources");
  const destinationOf = async (source: string): Promise<object> => {
    const secret = `whsec_of_${source}_of_the_test`;
    const given = await admin.post("/v1/webhooks/secrets", { source, secret });
    expect(given.status, given.text).toBe(202);
    const { url } = body.data.find(({ name }: { readonly name: string }) => name === source);
    return { url: plinth.hooksUrl + new URL(url).pathname, secret };
  };
  await provider.put("/fake/destinations", {
    payments: await destinationOf("stripe"),
    trackers: await destinationOf("carrier"),
  });
}

/** Requests to an endpoint with an event about a certain record. */
const receivedOf = async (path: string, name: string, about: string): Promise<readonly Received[]> =>
  (await receivedAt(receiver, path, about)).filter(({ event }) => event.name === name);

/** Mails that contain a text. */
async function mailsOf(about: string): Promise<readonly { readonly to: readonly string[]; readonly raw: string }[]> {
  const all: readonly { to: string[]; raw: string }[] = await mail.get("/");
  return all.filter(({ raw }) => raw.replaceAll("=\r\n", "").includes(about));
}

const eventsOf = async (type: string, id: string): Promise<{ readonly answers: readonly number[] } | undefined> =>
  (await provider.get("/fake/events")).findLast(
    (one: { type: string; id: string }) => one.type === type && one.id !== id,
  );

async function shipmentOf(person: { readonly as: Caller }): Promise<string> {
  const made = await person.as.post("/v1/resources/shipments", { carrier: "ups" });
  expect(made.status, made.text).toBe(201);
  return made.body.data.id;
}

/** A subscription that waits for a payment of the provider. */
async function subscriptionFor(paymentRef: string): Promise<string> {
  const made = await admin.post("/v1/resources/subscriptions", {
    user_id: ana.id,
    plan: "pro",
    payment_ref: paymentRef,
  });
  expect(made.status, made.text).toBe(201);
  return made.body.data.id;
}

const runsOf = async (workflow: string, status: string): Promise<readonly { readonly id: string }[]> =>
  (await admin.get(`/v1/runs?workflow=${workflow}&status=${status}&limit=100`)).body.data;

/** How often each of the four actions of `paid` has taken effect. */
async function effectsOf(subscription: string, intent: string): Promise<object> {
  const { body } = await ana.as.get(`/api/subscriptions/${subscription}`);
  return {
    status: body.data.status,
    changes: body.data.version - 1,
    receipts: (await mailsOf(subscription)).length,
    webhooks: (await receivedOf("/desk", "payment.succeeded", intent)).length,
    notes: (await admin.get(`/v1/audit-log?operation=note&limit=100`)).body.data.length,
  };
}

test("the example works as specified, except for the files that it names", () => {
  expect(project.warnings).toEqual([
    "The module `storage` isn't available yet and is ignored.",
    "Fields of the type `file` aren't available yet, so `label_url` is ignored.",
  ]);
});

test("a customer's shipment gets a label, a receipt by mail, and a webhook with a valid signature", async () => {
  const id = await shipmentOf(ana);
  await expect
    .poll(async () => (await ana.as.get(`/api/shipments/${id}`)).body.data, soon)
    .toMatchObject({ status: "purchased", tracking_number: `PD-${id}` });
  await expect.poll(() => mailsOf(id), soon).toMatchObject([{ to: ["ana@example.com"] }]);
  const [receipt] = await mailsOf(id);
  expect(receipt?.raw).toContain("From: Parcel desk <desk@example.com>");
  expect(receipt?.raw).toContain("Subject: Your receipt: shipment");
  await expect
    .poll(() => receivedOf("/desk", "shipment.label_created", id), soon)
    .toMatchObject([{ verified: true, event: { data: { shipment_id: id }, record: null } }]);
  await expect
    .poll(() => receivedOf("/ana", "shipment.label_created", id), soon)
    .toMatchObject([{ verified: true, event: { data: { shipment_id: id } } }]);
  await expect
    .poll(() => receivedOf("/ana", "shipment.updated", id), soon)
    .toMatchObject([{ verified: true, event: { record: { id, status: "purchased" }, old: { status: "draft" } } }]);
});

test("a customer gets no events of another customer's shipment", async () => {
  const ben = await signUp(plinth.apiUrl, project.keys.publishable, "ben@example.com");
  const id = await shipmentOf(ben);
  await expect.poll(() => mailsOf(id), soon).toMatchObject([{ to: ["ben@example.com"] }]);
  await expect.poll(() => receivedOf("/desk", "shipment.updated", id), soon).toHaveLength(1);
  for (const name of ["shipment.created", "shipment.updated", "shipment.label_created"])
    expect(await receivedOf("/ana", name, id)).toEqual([]);
});

test("the carrier updates a shipment, and repeats the request until it is acknowledged", async () => {
  const id = await shipmentOf(ana);
  const statusOf = async () => (await ana.as.get(`/api/shipments/${id}`)).body.data.status;
  await expect.poll(statusOf, soon).toBe("purchased");
  const call = async (method: string, path: string, tracker: object) =>
    (await fetch(provider.url + path, { method, body: JSON.stringify({ tracker }) })).json();
  const { id: tracker } = await call("POST", "/v2/trackers", {
    tracking_code: `PD-${id}`,
    carrier: "UPS",
    status: "unknown",
  });
  await call("PATCH", `/v2/trackers/${tracker}`, { status: "in_transit" });
  await expect.poll(statusOf, soon).toBe("in_transit");
  // Nobody is listening while the carrier sends events.
  await plinth.kill("webhook");
  await call("PATCH", `/v2/trackers/${tracker}`, { status: "delivered" });
  await expect.poll(async () => (await provider.get("/fake/events")).at(-1).answers, soon).toContain(0);
  expect(await statusOf()).toBe("in_transit");
  await plinth.start("webhook");
  await expect.poll(statusOf, soon).toBe("delivered");
  await expect.poll(() => receivedOf("/ana", "shipment.updated", '"status":"delivered"'), soon).toHaveLength(1);
});

test("a payment that is reported four times, late and out of order, has each of its four effects once", async () => {
  const notes = (await admin.get("/v1/audit-log?operation=note&limit=100")).body.data.length;
  await provider.put("/fake/failures", { calls: 1 });
  await provider.put("/fake/habits", { repeats: 3, delayMs: 100, reorderBy: 2 });
  const intent = await stripe.paymentIntents.create({ amount: 2_900, currency: "eur" });
  const subscription = await subscriptionFor(intent.id);
  await stripe.paymentIntents.confirm(intent.id);
  const once = { status: "active", changes: 1, receipts: 1, webhooks: 1, notes: notes + 1 };
  await expect.poll(() => effectsOf(subscription, intent.id), soon).toEqual(once);
  await provider.put("/fake/habits", {});
  await expect
    .poll(async () => (await eventsOf("payment_intent.created", ""))?.answers, soon)
    .toEqual([200, 200, 200, 200]);
  const { body } = await admin.get("/v1/webhooks/requests");
  expect(body.data.slice(0, 2)).toMatchObject([
    { source: "stripe", status: "unmapped", type: "payment_intent.created", event: null, repeats: 3 },
    { source: "stripe", status: "accepted", type: "payment_intent.succeeded", event: "payment.succeeded", repeats: 3 },
  ]);
  expect(await effectsOf(subscription, intent.id)).toEqual(once);
  expect(await mailsOf(subscription)).toMatchObject([{ to: ["ana@example.com"] }]);
  expect(await receivedOf("/desk", "payment.succeeded", intent.id)).toMatchObject([{ verified: true }]);
});

test("a payment that is reported before its subscription exists takes effect when its run is retried", async () => {
  const notes = (await admin.get("/v1/audit-log?operation=note&limit=100")).body.data.length;
  const intent = await stripe.paymentIntents.create({ amount: 900, currency: "eur" });
  await stripe.paymentIntents.confirm(intent.id);
  await expect.poll(() => runsOf("paid", "failed"), soon).toHaveLength(1);
  const [run] = await runsOf("paid", "failed");
  const { body } = await admin.get(`/v1/runs/${run?.id}`);
  expect(body.data.error).toMatchObject({ code: "no_record" });
  const subscription = await subscriptionFor(intent.id);
  expect((await admin.post(`/v1/runs/${run?.id}/retry`, {})).status).toBe(202);
  await expect
    .poll(() => effectsOf(subscription, intent.id), soon)
    .toEqual({ status: "active", changes: 1, receipts: 1, webhooks: 1, notes: notes + 1 });
});

test("a payment that arrives while no worker is running takes effect once one runs", async () => {
  const notes = (await admin.get("/v1/audit-log?operation=note&limit=100")).body.data.length;
  const intent = await stripe.paymentIntents.create({ amount: 400, currency: "eur" });
  const subscription = await subscriptionFor(intent.id);
  await plinth.kill("worker");
  await stripe.paymentIntents.confirm(intent.id);
  await expect.poll(async () => (await provider.get("/fake/events")).at(-1).answers, soon).toEqual([200]);
  expect((await ana.as.get(`/api/subscriptions/${subscription}`)).body.data.status).toBe("pending");
  await plinth.start("worker");
  await expect
    .poll(() => effectsOf(subscription, intent.id), soon)
    .toEqual({ status: "active", changes: 1, receipts: 1, webhooks: 1, notes: notes + 1 });
});

test("a request without the provider's signature has no effect", async () => {
  const { body } = await admin.get("/v1/webhooks/sources");
  const { url } = body.data.find(({ name }: { readonly name: string }) => name === "stripe");
  const payload = JSON.stringify({
    id: "evt_forged",
    type: "payment_intent.succeeded",
    data: { object: { id: "pi_1" } },
  });
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: "whsec_of_somebody_else" });
  const forged = await fetch(url, { method: "POST", body: payload, headers: { "stripe-signature": signature } });
  expect(forged.status).toBe(404);
  const { body: requests } = await admin.get("/v1/webhooks/requests");
  expect(requests.data[0]).toMatchObject({ source: "stripe", status: "refused" });
});
