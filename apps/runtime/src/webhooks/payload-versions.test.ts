// Endpoints of two versions get one event in two shapes, and neither shows more than its reader can see.
import { afterEach, expect, it } from "vitest";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = (out: string): string => `project: desk
modules: [auth, users, roles, webhooks, workers, audit_logs]
roles:
  reader:
entities:
  ticket:
    fields: { title: string, note: text?, secret_note: text? }
    permissions:
      admin: { all: true }
      reader: { read: { allow: true, fields: [id, title] } }
webhooks:
  out: ${out}
`;

const two =
  "{ version: 2, versions: { 1: { ticket: { names: { subject: title, hidden: secret_note }, omit: [note] } } } }";

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

it("an earlier version has its own names, and the same visibility", async () => {
  hooked = await openHooked(blueprint(two));
  const { call, receiver, createTicket, until } = hooked;
  const make = (path: string, more: object) =>
    call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/${path}`, events: ["*"], ...more });
  expect(await make("new", {})).toMatchObject({ version: 2 });
  expect(await make("old", { version: 1 })).toMatchObject({ version: 1 });
  await make("reader", { version: 1, role: "reader" });
  const id = await createTicket("first", { note: "n", secret_note: "s" });
  await until(() => receiver.received.length === 3);
  const bodies = new Map(receiver.received.map(({ path, body }) => [path, JSON.parse(body)]));
  expect(bodies.get("/new")).toMatchObject({ version: 2, record: { id, title: "first", note: "n", secret_note: "s" } });
  const old = bodies.get("/old");
  expect(old).toMatchObject({ version: 1, record: { id, subject: "first", hidden: "s" } });
  expect(Object.keys(old.record)).not.toEqual(expect.arrayContaining(["title"]));
  expect(Object.keys(old.record)).not.toEqual(expect.arrayContaining(["note"]));
  expect(bodies.get("/reader").record).toEqual({ id, subject: "first" });
});

it("an unknown version is refused; a test uses the endpoint's; a removed one is replaced by the current one", async () => {
  hooked = await openHooked(blueprint(two));
  const { call, receiver, until, work } = hooked;
  const url = receiver.url;
  await expect(call("POST", "/v1/webhook-endpoints", { url, events: ["*"], version: 3 })).rejects.toMatchObject({
    code: "validation_failed",
  });
  const { id } = await call("POST", "/v1/webhook-endpoints", { url, events: ["*"], version: 1 });
  await expect(call("PATCH", `/v1/webhook-endpoints/${id}`, { version: 7 })).rejects.toMatchObject({
    code: "validation_failed",
  });
  await call("POST", `/v1/webhook-endpoints/${id}/test`, {});
  await until(() => receiver.received.length === 1);
  expect(JSON.parse(receiver.received[0]?.body ?? "{}").version).toBe(1);
  expect(await call("PATCH", `/v1/webhook-endpoints/${id}`, { version: 2 })).toMatchObject({ version: 2 });
  await work.sql("UPDATE plinth.webhook_endpoints SET version = 9 WHERE id = $1", [id]);
  await call("POST", `/v1/webhook-endpoints/${id}/test`, {});
  await until(() => receiver.received.length === 2);
  expect(JSON.parse(receiver.received[1]?.body ?? "{}").version).toBe(2);
});
