// Outbound webhooks, from the blueprint's text to what a receiver verifies with the libraries of Standard Webhooks and
// of Svix.

import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { checkBlueprint } from "@plinth/blueprint";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import type { Answer, Received } from "../workflows/testing/receiver.ts";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
entities:
  ticket:
    fields:
      title: string
      phone: string? pii
      draft: string internal = "hidden"
    permissions:
      admin: { all: true }
`;

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

async function open(answer?: (request: Received, at: number) => Answer, sections = ""): Promise<Hooked> {
  hooked = await openHooked(blueprint + sections, answer);
  return hooked;
}

const headersOf = ({ headers }: Received): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

it("sends an event with a signature that both libraries verify, and records the outcome", async () => {
  const { work, receiver, call, createTicket, until } = await open(() => ({ body: "thanks, 555-1234" }));
  const made = await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/hook`, events: ["ticket.*"] });
  expect(made).toMatchObject({ enabled: true, role: "admin", signing: "hmac", public_key: null });
  const record = await createTicket("first", { phone: "555-1234" });
  await until(() => receiver.received.length > 0);
  const [sent] = receiver.received;
  const headers = headersOf(sent!);
  for (const library of [new Webhook(made.secret), new SvixWebhook(made.secret)]) {
    expect(() => library.verify(sent!.body, headers)).not.toThrow();
    expect(() => library.verify(`${sent!.body} `, headers)).toThrow();
  }
  const body = JSON.parse(sent!.body);
  expect(body).toMatchObject({
    name: "ticket.created",
    project: work.projectId,
    record: { id: record, title: "first", phone: "555-1234" },
    old: null,
  });
  expect(body.record).not.toHaveProperty("draft");
  await until(async () => (await call("GET", "/v1/webhook-deliveries"))[0]?.status === "delivered");
  const [delivery] = await call("GET", "/v1/webhook-deliveries", undefined, `endpoint_id=${made.id}`);
  expect(headers["webhook-id"]).toBe(`msg_${delivery.id}`);
  const told = await call("GET", `/v1/webhook-deliveries/${delivery.id}`);
  expect(told).toMatchObject({
    event: "ticket.created",
    response_status: 200,
    attempts: 1,
    request_id: "req_test",
    body: { record: { title: "first" } },
    tries: [{ attempt: 1, status: 200, request_headers: { "webhook-id": `msg_${delivery.id}` } }],
  });
  // Neither the request nor the answer shows personal values to viewers.
  expect(JSON.stringify(told)).not.toContain("555-1234");
  expect(JSON.stringify(told)).not.toContain("webhook-signature");
  expect(await call("GET", `/v1/webhook-endpoints/${made.id}`)).not.toHaveProperty("secret");
  const stored = JSON.stringify(
    await work.sql(
      "SELECT d.*, a.*, s.* FROM plinth.webhook_deliveries d, plinth.webhook_attempts a, plinth.webhook_secrets s",
    ),
  );
  for (const secret of [made.secret.slice(6), "first", "thanks"]) expect(stored).not.toContain(secret);
});

it("retries under the same id, and fails after the last of eight attempts; a replay has the same id", async () => {
  let works = false;
  const { work, receiver, call, createTicket, until } = await open(() => ({ status: works ? 204 : 500 }));
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket();
  const status = async (): Promise<string> => (await call("GET", "/v1/webhook-deliveries"))[0]?.status;
  await until(async () => {
    await work.sql("UPDATE plinth.webhook_endpoints SET open_until = NULL");
    return (await status()) === "failed";
  });
  expect(receiver.received).toHaveLength(8);
  const [delivery] = await call("GET", "/v1/webhook-deliveries");
  expect(delivery).toMatchObject({ attempts: 8, error: "http_500", response_status: 500 });
  works = true;
  await work.sql("UPDATE plinth.webhook_endpoints SET open_until = NULL");
  expect(await call("POST", `/v1/webhook-endpoints/${id}/replay`, { since: "2026-01-01T00:00:00Z" })).toEqual({
    deliveries: 1,
  });
  await until(async () => (await status()) === "delivered");
  await call("POST", `/v1/webhook-deliveries/${delivery.id}/replay`, {});
  await until(() => receiver.received.length === 10);
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(await call("GET", `/v1/webhook-endpoints/${id}`)).toMatchObject({ failures: 0, failing_since: null });
});

it("410 disables the endpoint, and its waiting deliveries fail", async () => {
  const { receiver, call, createTicket, until, work } = await open(() => ({ status: 410 }));
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket();
  const endpoint = () => call("GET", `/v1/webhook-endpoints/${id}`);
  await until(async () => !(await endpoint()).enabled);
  expect(await endpoint()).toMatchObject({ disabled_reason: "gone" });
  const [noted] = await work.sql(
    "SELECT actor_kind, actor_id, changes FROM {schema}.audit_log WHERE operation = 'disable'",
  );
  expect(noted).toMatchObject({ actor_kind: "service", actor_id: "webhooks", changes: { reason: "gone" } });
  await createTicket("second");
  await expect(call("POST", `/v1/webhook-endpoints/${id}/test`, {})).rejects.toMatchObject({ code: "conflict" });
  expect(await call("GET", "/v1/webhook-deliveries")).toMatchObject([{ status: "failed", error: "http_410" }]);
  await call("PATCH", `/v1/webhook-endpoints/${id}`, { enabled: true });
  expect(await endpoint()).toMatchObject({ enabled: true, disabled_reason: null, failures: 0 });
});

it("an endpoint that has failed for five days is disabled", async () => {
  const { work, receiver, call, createTicket, until } = await open(() => ({ status: 503 }));
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await work.sql("UPDATE plinth.webhook_endpoints SET failures = 1, failing_since = now() - interval '121 hours'");
  await createTicket();
  await until(async () => !(await call("GET", `/v1/webhook-endpoints/${id}`)).enabled);
  expect(await call("GET", `/v1/webhook-endpoints/${id}`)).toMatchObject({ disabled_reason: "failing" });
});

it("Retry-After postpones an attempt, for twelve hours at most", async () => {
  const { work, receiver, call, createTicket } = await open(() => ({
    status: 429,
    headers: { "retry-after": "9999999" },
  }));
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket();
  const wait = async (): Promise<number> => {
    const [row] = await work.sql(
      "SELECT extract(epoch FROM due_at - now())::float8 AS s FROM plinth.webhook_deliveries WHERE error = 'http_429'",
    );
    return row === undefined ? 0 : Number(row["s"]);
  };
  await expect.poll(wait, { timeout: 5_000 }).toBeGreaterThan(43_000);
  expect(await wait()).toBeLessThanOrEqual(43_200);
});

it("after a rotation both secrets sign; Ed25519 only shows its public key", async () => {
  const { receiver, call, createTicket, until } = await open();
  const hmac = await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/hmac`, events: ["*"] });
  const open_ = await call("POST", "/v1/webhook-endpoints", {
    url: `${receiver.url}/ed`,
    events: ["*"],
    signing: "ed25519",
  });
  const rotated = await call("POST", `/v1/webhook-endpoints/${hmac.id}/rotate-secret`, { overlap_hours: 1 });
  expect(rotated.secret).not.toBe(hmac.secret);
  expect(open_).toMatchObject({ secret: null, public_key: expect.stringMatching(/^whpk_/) });
  await createTicket();
  await until(() => receiver.received.length === 2);
  const at = (path: string): Received => receiver.received.find((one) => one.path === path)!;
  const [first, second] = [at("/hmac"), at("/ed")];
  for (const secret of [hmac.secret, rotated.secret]) {
    expect(() => new Webhook(secret).verify(first.body, headersOf(first))).not.toThrow();
  }
  const { "webhook-id": key, "webhook-timestamp": time, "webhook-signature": signature = "" } = headersOf(second);
  const raw = Buffer.from(open_.public_key.slice(5), "base64");
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), raw]);
  const publicKey = createPublicKey({ key: der, format: "der", type: "spki" });
  expect(signature).toMatch(/^v1a,/);
  expect(
    verify(null, Buffer.from(`${key}.${time}.${second.body}`), publicKey, Buffer.from(signature.slice(4), "base64")),
  ).toBe(true);
});

it("a test event, and an event that a step sends: once for each endpoint", async () => {
  const { receiver, call, createTicket, until, work } = await open(
    undefined,
    "workflows:\n  tell: { on: ticket.created, actions: [webhook.emit] }\n",
  );
  const { id } = await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["ticket.created"] });
  await call("POST", `/v1/webhook-endpoints/${id}/test`, {});
  await until(() => receiver.received.length === 1);
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ name: "webhook.test", record: null });
  await createTicket();
  await work.settled();
  await until(
    async () => (await work.sql("SELECT 1 FROM {schema}.workers__events WHERE name = '_webhook.emitted'")).length === 1,
  );
  await until(() => receiver.received.length === 2);
  expect(await call("GET", "/v1/webhook-deliveries")).toHaveLength(2);
  // An endpoint that did not subscribe at the time has no delivery of it, and a thin one no values.
  await call("PATCH", `/v1/webhook-endpoints/${id}`, { payload: "thin" });
  const ticket = await createTicket("second");
  await until(() => receiver.received.length === 3);
  expect(JSON.parse(receiver.received[2]!.body)).toMatchObject({ record: { id: ticket }, old: null, data: null });
  expect(receiver.received[2]!.body).not.toContain("second");
});

const guide = readFileSync(join(import.meta.dirname, "../../../../docs/blueprint/webhooks-out.md"), "utf8");

it("a blueprint accepts what the guide says about `webhooks.out`", () => {
  const [first = "", ...sections] = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
  expect(sections.length).toBeGreaterThanOrEqual(2);
  for (const section of sections) expect(checkBlueprint(`${first}${section}`).diagnostics).toEqual([]);
});

it("the guide's blueprint and receiver work as they are written", async () => {
  const part = (language: string): string =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? "";
  hooked = await openHooked(part("yaml"));
  const { receiver, call, until, work } = hooked;
  const [, asked = "{}"] = /POST \/v1\/webhook-endpoints\n(\{.*\})/.exec(guide) ?? [];
  const { secret } = await call("POST", "/v1/webhook-endpoints", { ...JSON.parse(asked), url: receiver.url });
  const id = crypto.randomUUID();
  await createRecord(await work.request("bike"), id, new Map([["name", "Comet"]]));
  await until(() => receiver.received.length === 1);
  const sdk = pathToFileURL(join(import.meta.dirname, "../../../../packages/sdk/src/index.ts")).href;
  const code = part("js").replace("@plinth/sdk", sdk);
  const { receive } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const [{ body, headers }] = receiver.received as [Received];
  const shown = JSON.parse(part("json"));
  const { status, event } = await receive(body, headers, secret);
  expect([status, event.name, event.record.name]).toEqual([204, shown.name, shown.record.name]);
  expect(Object.keys(event)).toEqual(Object.keys(shown));
  expect(await receive(`${body} `, headers, secret)).toEqual({ status: 400, event: null });
});
