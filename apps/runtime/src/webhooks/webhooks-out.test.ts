// Webhooks that leave a project, from the blueprint's text to what a receiver verifies with the libraries of Standard Webhooks and of Svix.
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterEach, expect, it } from "vitest";
import { callModule, dataOf, makeKey } from "../modes/cell-fixture.ts";
import { createRecord } from "../query/run.ts";
import { type Answer, type Receiver, startReceiver } from "../workflows/testing/receiver.ts";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";

const blueprint = `project: desk
modules: [auth, users, roles, webhooks, audit_logs]
entities:
  ticket:
    fields:
      title: string
      draft: string internal = "hidden"
    permissions:
      admin: { all: true }
`;

let work: WorkCell | null = null;
let receiver: Receiver | null = null;
afterEach(async () => {
  await work?.close();
  await receiver?.close();
  work = null;
  receiver = null;
});

async function open(answer: (at: number) => Answer) {
  receiver = await startReceiver((_, at) => answer(at));
  work = await openWorkCell(blueprint, {});
  const { key } = await makeKey(work.cell, work.projectId, { role: "admin" });
  const { cell } = work;
  const call = async (method: string, path: string, body?: unknown, query = "") =>
    dataOf(await callModule(cell, { key, method, path, query, ...(body === undefined ? {} : { body }) }));
  return { work, receiver, call };
}

async function createTicket({ request }: WorkCell, title = "first"): Promise<string> {
  const id = crypto.randomUUID();
  await createRecord(await request("ticket"), id, new Map([["title", title]]));
  return id;
}

async function until<T>(look: () => Promise<T | null | undefined | false>, msMax = 8_000): Promise<T> {
  const deadline = performance.now() + msMax;
  while (performance.now() < deadline) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("it did not happen");
}

const textHeaders = (headers: Receiver["received"][number]["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

it("sends an event, signed as both libraries verify it, and keeps what came of it", async () => {
  const { work, receiver, call } = await open(() => ({ body: "thanks" }));
  const made = await call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/hook`, events: ["ticket.*"] });
  expect(made).toMatchObject({ enabled: true, role: "admin", signing: "hmac", public_key: null });
  const record = await createTicket(work);
  const [sent] = await until(async () => receiver.received.length > 0 && receiver.received);
  const headers = textHeaders(sent!.headers);
  for (const library of [new Webhook(made.secret), new SvixWebhook(made.secret)]) {
    expect(() => library.verify(sent!.body, headers)).not.toThrow();
    expect(() => library.verify(`${sent!.body} `, headers)).toThrow();
  }
  const body = JSON.parse(sent!.body);
  expect(body).toMatchObject({
    name: "ticket.created",
    project: work.projectId,
    record: { id: record, title: "first" },
    old: null,
  });
  expect(body.record).not.toHaveProperty("draft");
  const [delivery] = await until(async () => {
    const rows = await call("GET", "/v1/webhook-deliveries", undefined, `endpoint_id=${made.id}`);
    return rows[0]?.status === "delivered" && rows;
  });
  expect(headers["webhook-id"]).toBe(`msg_${delivery.id}`);
  expect(await call("GET", `/v1/webhook-deliveries/${delivery.id}`)).toMatchObject({
    event: "ticket.created",
    response_status: 200,
    attempts: 1,
    request_id: "req_test",
    body: { record: { title: "first" } },
    tries: [
      { attempt: 1, status: 200, response_body: "thanks", request_headers: { "webhook-id": `msg_${delivery.id}` } },
    ],
  });
  expect(await call("GET", `/v1/webhook-endpoints/${made.id}`)).not.toHaveProperty("secret");
  const stored = JSON.stringify(
    await work.sql(
      "SELECT d.*, a.*, s.* FROM plinth.webhook_deliveries d, plinth.webhook_attempts a, plinth.webhook_secrets s",
    ),
  );
  for (const secret of [made.secret.slice(6), "first", "thanks"]) expect(stored).not.toContain(secret);
});

it("tries again under the same id", async () => {
  const { work, receiver, call } = await open((at) => ({ status: at === 1 ? 500 : 200 }));
  await call("POST", "/v1/webhook-endpoints", { url: receiver.url, events: ["*"] });
  await createTicket(work);
  await until(async () => {
    await work.sql(
      "UPDATE plinth.webhook_deliveries SET due_at = now() WHERE status = 'pending' AND lease_until IS NULL",
    );
    return receiver.received.length === 2;
  });
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(1);
  await until(async () => (await call("GET", "/v1/webhook-deliveries"))[0].status === "delivered");
});
