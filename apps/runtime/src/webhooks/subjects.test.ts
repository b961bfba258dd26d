// Declared events that reach the endpoints of users and organizations: who sees an event without a record.
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { type Hooked, openHooked } from "./testing/webhook-project.ts";

const blueprint = `project: desk
modules: [auth, users, roles, organizations, webhooks, workers, audit_logs]
events:
  parcel.packed: { payload: { parcel_id: uuid, code: string, cost: int, note: string? } }
  carrier.moved: { payload: { code: string, depot: string } }
entities:
  parcel:
    fields:
      code: string
      cost: int = 7
      user_id: user_ref?
    permissions:
      user: { read: { allow: user_id == current_user.id, fields: [code, user_id] } }
      admin: { all: true }
  crate:
    org_scoped: true
    fields: { code: string }
    permissions:
      user: { read: true }
      admin: { all: true }
workers:
  pack:
    on: parcel.created
    steps:
      - event.emit:
          with:
            name: parcel.packed
            payload:
              parcel_id: \${{ record.id }}
              code: \${{ record.code }}
              cost: \${{ record.cost }}
              note: for the staff
  move:
    on: crate.created
    steps:
      - event.emit:
          with:
            name: carrier.moved
            payload: { code: "\${{ record.code }}", depot: north }
workflows:
  moved:
    on: carrier.moved
    record: { parcel: { code: "\${{ event.data.code }}" } }
    actions: [webhook.emit]
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
  const [north, south] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const [at, id] of [ana, ben].entries()) {
    await work.sql("INSERT INTO {schema}.users (id, email, roles) VALUES ($1, $2, '{}')", [id, `${at}@example.com`]);
  }
  for (const id of [north, south]) {
    await work.sql("INSERT INTO {schema}.organizations (id, name) VALUES ($1, 'shop')", [id]);
  }
  const endpoint = (path: string, events: string, more: object): Promise<{ id: string }> =>
    call("POST", "/v1/webhook-endpoints", { url: `${receiver.url}/${path}`, events: [events], ...more });
  const sentTo = (path: string) =>
    receiver.received.filter((one) => one.path === `/${path}`).map(({ body }) => JSON.parse(body));
  const create = async (entity: string, values: Record<string, string>, organization: string | null = null) => {
    const id = crypto.randomUUID();
    const all = new Map(Object.entries(organization === null ? values : { ...values, org_id: organization }));
    await createRecord({ ...(await work.request(entity)), organization }, id, all);
    return id;
  };
  const statusOf = async (id: string): Promise<string[]> =>
    (await call("GET", "/v1/webhook-deliveries", undefined, `endpoint_id=${id}`)).map(
      ({ status }: { status: string }) => status,
    );
  return { ...hooked, ana, ben, north, south, endpoint, sentTo, create, statusOf };
}

it("an event about a record reaches its readers, with the values that they can read", async () => {
  const { ana, ben, endpoint, sentTo, create, until, call } = await open();
  await endpoint("ana", "parcel.packed", { user_id: ana });
  await endpoint("ben", "parcel.packed", { user_id: ben });
  await endpoint("admin", "parcel.packed", {});
  const id = await create("parcel", { code: "PD-1", user_id: ana });
  await until(() => sentTo("admin").length === 1 && sentTo("ana").length === 1);
  expect(sentTo("ana")[0]).toMatchObject({
    name: "parcel.packed",
    actor: { kind: null, id: null },
    record: null,
    old: null,
  });
  // Neither fields of the record that they can't read, nor values that aren't the record's.
  expect(sentTo("ana")[0].data).toEqual({ parcel_id: id, code: "PD-1" });
  expect(sentTo("admin")[0].data).toEqual({ parcel_id: id, code: "PD-1", cost: 7, note: "for the staff" });
  expect(await call("GET", "/v1/webhook-deliveries")).toHaveLength(2);
});

it("a reader who can no longer read the record at the next attempt doesn't get the event", async () => {
  let isDown = true;
  const { ana, ben, endpoint, sentTo, create, until, work, statusOf } = await open(() => isDown);
  const { id: endpointId } = await endpoint("ana", "parcel.packed", { user_id: ana });
  const id = await create("parcel", { code: "PD-1", user_id: ana });
  await until(() => sentTo("ana").length === 1);
  await work.sql("UPDATE {schema}.parcels SET user_id = $2 WHERE id = $1", [id, ben]);
  isDown = false;
  await until(async () => (await statusOf(endpointId))[0] === "revoked");
  expect(sentTo("ana").every(({ data }) => data.code === "PD-1")).toBe(true);
});

it("a payload value that the record only shows later is not added at the next attempt", async () => {
  let isDown = true;
  const { ana, endpoint, sentTo, create, until, work, statusOf } = await open(() => isDown);
  const { id: endpointId } = await endpoint("ana", "parcel.packed", { user_id: ana });
  await create("parcel", { code: "PD-1", user_id: ana });
  await until(() => sentTo("ana").length === 1);
  await work.sql("UPDATE {schema}.users SET roles = '{admin}' WHERE id = $1", [ana]);
  isDown = false;
  await until(async () => (await statusOf(endpointId))[0] === "delivered");
  expect(sentTo("ana").at(-1).data).toEqual(sentTo("ana")[0].data);
});

it("an organization only gets events about its own records", async () => {
  const { north, south, endpoint, sentTo, create, until, statusOf } = await open();
  const { id: other } = await endpoint("south", "carrier.moved", { organization_id: south });
  await endpoint("north", "carrier.moved", { organization_id: north });
  await create("crate", { code: "C-1" }, north);
  await until(() => sentTo("north").length === 1);
  expect(sentTo("north")[0].data).toEqual({ code: "C-1" });
  expect(await statusOf(other)).toEqual([]);
});

it("a step sends the event of its run to the readers of the record that the run has found", async () => {
  const { ana, ben, north, endpoint, sentTo, create, until, work, statusOf } = await open();
  await endpoint("ana", "carrier.moved", { user_id: ana });
  const { id: other } = await endpoint("ben", "carrier.moved", { user_id: ben });
  await create("parcel", { code: "C-2", user_id: ana });
  await create("crate", { code: "C-2" }, north);
  await until(() => sentTo("ana").length === 1);
  expect(sentTo("ana")[0]).toMatchObject({ name: "carrier.moved", data: { code: "C-2" } });
  await work.settled();
  expect(await statusOf(other)).toEqual([]);
});
