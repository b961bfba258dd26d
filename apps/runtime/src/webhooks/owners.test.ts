// What a webhook shows: an endpoint of a role, of a user, of an organization. Its reader is judged over the event's own
// values when it happens, and again at each attempt: what was revoked meanwhile is not sent.
import { afterEach, expect, it } from "vitest";
import { createRecord, deleteRecord, updateRecord } from "../query/run.ts";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, organizations, webhooks, workers, audit_logs]
roles: { support: {} }
events:
  desk.closed: { payload: { why: string } }
entities:
  ticket:
    fields:
      title: string
      phone: string? pii
      price: decimal(10,2)?
      more: json?
      user_id: user_ref?
      draft: string internal = "hidden"
      labels: refs(label)
    permissions:
      user: { read: user_id == current_user.id }
      support: { read: { allow: title != "secret", fields: [title] } }
      admin: { all: true }
  label:
    fields: { name: string }
    permissions: { user: { read: name != "internal" }, admin: { all: true } }
  note:
    org_scoped: true
    fields: { title: string }
    permissions:
      user: { read: true, create: true }
      admin: { all: true }
`;

let hooked: Hooked | null = null;
afterEach(async () => {
  await hooked?.close();
  hooked = null;
});

async function open(isDown: () => boolean = () => false) {
  hooked = await openHooked(blueprint, () => ({ status: isDown() ? 503 : 200 }));
  const { work, receiver, call } = hooked;
  const [ana, ben] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const [id, name] of [
    [ana, "ana"],
    [ben, "ben"],
  ]) {
    await work.sql("INSERT INTO {schema}.users (id, email, roles) VALUES ($1, $2, '{}')", [id, `${name}@example.com`]);
  }
  const endpoint = (path: string, more: object): Promise<{ id: string }> =>
    call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/${path}`, events: ["*"], ...more });
  const sentTo = (path: string) =>
    receiver.received.filter((one) => one.path === `/${path}`).map(({ body }) => JSON.parse(body));
  return { ...hooked, ana, ben, endpoint, sentTo };
}

it("a user's endpoint gets what that user can read, and an admin's the rest", async () => {
  const { ana, ben, endpoint, sentTo, createTicket, until, call } = await open();
  await endpoint("ana", { user_id: ana });
  await endpoint("admin", {});
  const own = await createTicket("hers", {
    user_id: ana,
    phone: "555",
    price: "12.30",
    more: '{"n":12345678901234567890}',
  });
  await createTicket("his", { user_id: ben });
  await until(() => sentTo("admin").length === 2 && sentTo("ana").length === 1);
  expect(await call("GET", "/v1/webhook-deliveries")).toHaveLength(3);
  const [event] = sentTo("ana");
  expect(event).toMatchObject({
    record: { id: own, title: "hers", phone: "555", price: "12.30" },
    actor: { kind: null, id: null },
  });
  expect(event.record).not.toHaveProperty("draft");
  expect(sentTo("admin")[0].actor).toEqual({ kind: "service", id: "test" });
  // No digit is lost on the way.
  expect(hooked!.receiver.received.find(({ path }) => path === "/ana")!.body).toContain("12345678901234567890");
});

it("a record that becomes visible comes without its former values, and one that becomes hidden isn't sent", async () => {
  const { ana, ben, endpoint, sentTo, createTicket, until, work } = await open();
  await endpoint("ana", { user_id: ana });
  await endpoint("admin", {});
  const id = await createTicket("his", { user_id: ben, phone: "his phone" });
  const change = async (values: Record<string, string>) =>
    updateRecord(await work.request("ticket"), id, new Map(Object.entries(values)));
  await change({ user_id: ana, title: "hers", phone: "her phone" });
  await change({ title: "still hers" });
  await change({ user_id: ben, title: "his again" });
  await deleteRecord(await work.request("ticket"), id);
  await until(() => sentTo("admin").length === 5);
  await until(() => sentTo("ana").length === 2);
  const events = sentTo("ana");
  expect(events.find(({ record }) => record.title === "hers")).toMatchObject({ old: null });
  expect(events.find(({ record }) => record.title === "still hers").old).toMatchObject({ title: "hers" });
  expect(JSON.stringify(events)).not.toContain("his");
});

it("a list names the records that the reader can read, before as well as after", async () => {
  const { ana, endpoint, sentTo, createTicket, until, work } = await open();
  await endpoint("ana", { user_id: ana });
  await endpoint("admin", {});
  const [open_, internal, other] = ["open", "internal", "other"].map((name) => ({ id: crypto.randomUUID(), name }));
  for (const { id, name } of [open_!, internal!, other!]) {
    await createRecord(await work.request("label"), id, new Map([["name", name]]));
  }
  const list = (...labels: readonly { readonly id: string }[]): string => `{${labels.map(({ id }) => id).join(",")}}`;
  const id = await createTicket("hers", { user_id: ana, labels: list(open_!) });
  const change = async (title: string, labels: string) =>
    updateRecord(await work.request("ticket"), id, new Map(Object.entries({ title, labels })));
  await change("hidden added", list(open_!, internal!));
  await change("seen added", list(open_!, internal!, other!));
  await until(() => sentTo("ana").filter(({ record }) => record.title !== undefined).length === 3);
  await until(() => sentTo("admin").length === 6);
  const told = (path: string, title: string) => {
    const { record, old } = sentTo(path).find((event) => event.record.title === title);
    return { now: record.labels, before: old.labels };
  };
  const ids = (...labels: readonly { readonly id: string }[]): string[] => labels.map((one) => one.id).sort();
  expect(told("ana", "hidden added")).toEqual({ now: ids(open_!), before: undefined });
  expect(told("ana", "seen added")).toEqual({ now: ids(open_!, other!), before: ids(open_!) });
  expect(told("admin", "hidden added")).toEqual({ now: ids(open_!, internal!), before: ids(open_!) });
  expect(JSON.stringify(sentTo("ana"))).not.toContain(internal!.id);
});

it("a role's endpoint gets the fields and records that the role can read, and nothing without a rule", async () => {
  const { endpoint, sentTo, createTicket, until, call } = await open();
  await endpoint("support", { role: "support" });
  await endpoint("admin", {});
  const id = await createTicket("open", { phone: "555" });
  await createTicket("secret");
  await until(() => sentTo("admin").length === 2 && sentTo("support").length === 1);
  expect(sentTo("support")[0].record).toEqual({ id, title: "open" });
  expect(await call("GET", "/v1/webhook-deliveries")).toHaveLength(3);
});

it("a delivery never contains more than was visible at the event and at the attempt", async () => {
  let isDown = true;
  const { ana, ben, endpoint, sentTo, createTicket, until, work, call } = await open(() => isDown);
  const give = (id: string, roles: string) =>
    work.sql("UPDATE {schema}.users SET roles = $2 WHERE id = $1", [id, roles]);
  await give(ana, "{support}");
  await give(ben, "{admin}");
  await endpoint("ana", { user_id: ana });
  await endpoint("ben", { user_id: ben });
  const id = await createTicket("open", { phone: "555" });
  await until(() => sentTo("ana").length > 0 && sentTo("ben").length > 0);
  await give(ana, "{admin}");
  await give(ben, "{support}");
  isDown = false;
  const sent = () => call("GET", "/v1/webhook-deliveries", undefined, "status=delivered");
  await until(async () => (await sent()).length === 2);
  expect(sentTo("ben")[0].record).toMatchObject({ title: "open", phone: "555" });
  for (const record of [...sentTo("ana"), sentTo("ben").at(-1)].map((event) => event.record)) {
    expect(record).toEqual({ id, title: "open" });
  }
});

it("data that is revoked between two attempts is not sent", async () => {
  let isDown = true;
  const { ana, endpoint, sentTo, createTicket, until, work, call } = await open(() => isDown);
  const { id: endpointId } = await endpoint("ana", { user_id: ana });
  await createTicket("hers", { user_id: ana });
  await until(() => sentTo("ana").length === 1);
  await work.sql("UPDATE {schema}.tickets SET user_id = NULL");
  await work.sql("DELETE FROM {schema}.users WHERE id = $1", [ana]);
  isDown = false;
  await until(
    async () =>
      (await call("GET", "/v1/webhook-deliveries", undefined, `endpoint_id=${endpointId}`))[0].status === "revoked",
  );
  expect(sentTo("ana")).toHaveLength(1);
});

it("an organization's endpoint gets its own events, and none of another", async () => {
  const { endpoint, sentTo, until, work, call } = await open();
  const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const id of [one, other])
    await work.sql("INSERT INTO {schema}.organizations (id, name) VALUES ($1, 'shop')", [id]);
  await endpoint("one", { organization_id: one });
  await endpoint("admin", {});
  for (const organization of [one, other]) {
    const request = { ...(await work.request("note")), organization };
    await createRecord(
      request,
      crypto.randomUUID(),
      new Map([
        ["title", organization],
        ["org_id", organization],
      ]),
    );
  }
  await until(() => sentTo("admin").length === 2 && sentTo("one").length === 1);
  expect(sentTo("one")[0].record.title).toBe(one);
  expect(await call("GET", "/v1/webhook-deliveries")).toHaveLength(3);
});
