// `POST /v1/batch`: all or none, each operation judged like a separate request, later ones using the results of earlier
// ones.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createTestCell,
  keyPrincipal,
  type TestCell,
  type TestProject,
  type TestReply,
} from "../../http/testing/test-cell.ts";
import { createModuleRoutes } from "../module-routes.ts";
import { batchHandlers } from "./routes.ts";

const blueprint = `
project: shop
modules: [auth, users, roles, audit_logs]
entities:
  order:
    fields:
      number: string unique
      total: int = 0
      data: json?
      owner_id: user_ref = current_user.id
      status: enum[open, paid]
    transitions:
      status: { initial: open, pay: { from: open, to: paid, roles: [user], when: owner_id == current_user.id } }
    permissions:
      owner: { read: owner_id == current_user.id, update: owner_id == current_user.id, delete: owner_id == current_user.id }
      user: { create: true }
      admin: { all: true }
  line:
    fields: { order_id: ref(order) on_delete(cascade), text: string, price: { type: int, min: 0 } }
    permissions:
      user: { read: order.owner_id == current_user.id, create: order.owner_id == current_user.id }
      admin: { all: true }
  bill:
    fields: { number: sequence(B-), text: string }
    permissions: { admin: { all: true } }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  const scopeOf = (projectId: TestProject["projectId"]) => cell.tenants.forProject({ projectId });
  cell = await createTestCell({ modules: createModuleRoutes(batchHandlers({ scopeOf })) });
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("ben", project, ["owner", "user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
});
beforeEach(() =>
  cell.rows(project, "truncate {schema}.orders, {schema}.lines, {schema}.audit_log, {schema}.idempotency__replies"),
);
afterAll(() => cell?.close());

type Headers = Readonly<Record<string, string>>;
const batch = (as: string, operations: unknown, headers: Headers = {}, more: object = {}): Promise<TestReply> =>
  cell.send(as, "POST", "/v1/batch", { operations, ...more }, headers);
const count = async (table: string): Promise<number> =>
  Number((await cell.rows(project, `select count(*)::int as n from {schema}.${table}`))[0]?.["n"]);

const order = (number: string, more: object = {}): object => ({
  method: "POST",
  path: "/api/orders",
  body: { number, ...more },
  as: "order",
});
const line = (price: number): object => ({
  method: "POST",
  path: "/api/lines",
  body: { order_id: { $ref: "order.id" }, text: "x", price },
});

test("later operations use the results of earlier ones; each leaves its own line in the audit log", async () => {
  const reply = await batch("ana", [
    order("A"),
    line(3),
    line(4),
    { method: "PATCH", path: "/api/orders/{order.id}", body: { total: 7 }, if_match: '"1-x"', as: "changed" },
    { method: "POST", path: "/api/orders/{order.id}/transitions/pay" },
    { method: "PUT", path: "/api/orders/by/number/{changed.number}", body: { data: { $value: { $ref: "as it is" } } } },
    { method: "GET", path: "/api/orders/{order.id}?fields=number,total,data,status&expand=lines" },
    { method: "DELETE", path: "/api/orders/by/number/A" },
  ]);
  expect(reply.status, reply.text).toBe(200);
  const { data } = reply.json;
  expect(data.map(({ status }: { status: number }) => status)).toEqual([201, 201, 201, 200, 200, 200, 200, 204]);
  expect(data[6].data).toMatchObject({ number: "A", total: 7, status: "paid", data: { $ref: "as it is" } });
  expect(data[6].data.lines.map((one: { price: number }) => one.price).sort()).toEqual([3, 4]);
  expect(data[7]).toEqual({ status: 204 });
  const audits = await cell.rows(
    project,
    "select operation, request_id from {schema}.audit_log where entity = 'order' order by id",
  );
  expect(audits.map(({ operation }) => operation)).toEqual(["create", "update", "transition:pay", "update", "delete"]);
  expect(new Set(audits.map((one) => one["request_id"])).size).toBe(1);
});

test("the first refusal rolls everything back, and names its place", async () => {
  const refused = async (operations: unknown): Promise<unknown> => {
    const { status, json } = await batch("ana", operations);
    return [status, json.code, json.errors.map(({ path }: { path: string }) => path)];
  };
  expect(await refused([order("A"), line(3), line(-1)])).toEqual([
    422,
    "validation_failed",
    ["/operations/2/body/price"],
  ]);
  expect(await refused([order("A"), order("A")].map((one, at) => ({ ...one, as: `o${at}` })))).toEqual([
    409,
    "unique_violation",
    ["/operations/1/body/number"],
  ]);
  expect(
    await refused([
      order("A"),
      { method: "PATCH", path: "/api/orders/{order.id}", body: { total: 1 }, if_match: '"2-x"' },
    ]),
  ).toEqual([412, "precondition_failed", ["/operations/1"]]);
  expect(
    await refused([order("A"), { method: "GET", path: "/api/orders/018f0000-0000-7000-8000-000000000000" }]),
  ).toEqual([404, "not_found", ["/operations/1"]]);
  expect([await count("orders"), await count("lines"), await count("audit_log")]).toEqual([0, 0, 0]);
});

test("each is judged by the caller's own rights", async () => {
  const { data } = (await batch("ana", [order("A")])).json;
  const { id } = data[0].data;
  const path = `/api/orders/${id}`;
  expect((await batch("ben", [{ method: "PATCH", path, body: { total: 9 } }])).status).toBe(404);
  expect(
    (
      await batch("ben", [
        order("B"),
        { method: "POST", path: "/api/lines", body: { order_id: id, text: "x", price: 1 } },
      ])
    ).status,
  ).toBeGreaterThan(400);
  expect(await count("orders")).toBe(1);
});

test("anything but an operation on one record is refused", async () => {
  const codes = async (operation: object): Promise<unknown> => {
    const { status, json } = await batch("ana", [order("A"), operation]);
    return [status, json.errors?.[0]?.path];
  };
  const create = { method: "POST", path: "/api/orders" };
  expect(await codes({ method: "GET", path: "/api/orders" })).toEqual([400, "/operations/1"]);
  expect(await codes({ ...create, body: { number: "B", lines: [{ text: "x", price: 1 }] } })).toEqual([
    400,
    "/operations/1",
  ]);
  expect(await codes({ ...create, body: [{ number: "B" }] })).toEqual([400, "/operations/1"]);
  expect(await codes({ method: "DELETE", path: "/api/orders?id[in]=x" })).toEqual([400, "/operations/1"]);
  expect(await codes({ method: "POST", path: "/v1/batch", body: {} })).toEqual([422, "/operations/1/path"]);
  expect(await codes({ method: "POST", path: "/api/../v1/batch", body: {} })).toEqual([404, "/operations/1"]);
  expect(await codes({ method: "POST", path: "/api/nothing", body: {} })).toEqual([404, "/operations/1"]);
  expect(await codes({ ...create, path: "/api/orders?dry_run=true", body: { number: "B" } })).toEqual([
    400,
    "/operations/1",
  ]);
  expect(await codes({ ...create, body: { number: { $ref: "nothing.id" } } })).toEqual([
    422,
    "/operations/1/body/number",
  ]);
  expect(await codes({ ...create, body: { number: { $ref: "order" } } })).toEqual([422, "/operations/1/body/number"]);
  expect(await codes({ ...create, body: { number: { $ref: "order.colour" } } })).toEqual([422, "/operations/1/body"]);
  expect(await codes({ ...create, body: { number: { $ref: "order.__proto__" } } })).toEqual([
    422,
    "/operations/1/body",
  ]);
  expect(await codes({ method: "GET", path: "/api/orders/{order.data}" })).toEqual([422, "/operations/1/path"]);
  expect(await codes({ ...create, body: { number: "B" }, as: "order" })).toEqual([422, "/operations/1/as"]);
  expect(await codes({ ...create, body: { number: "B" }, colour: 1 })).toEqual([422, "/operations/1/colour"]);
  expect((await batch("ana", [])).status).toBe(422);
  expect((await cell.send("ana", "POST", "/v1/batch", [order("A")])).json.errors).toEqual([
    { path: "", code: "wrong_type", message: 'It must be an object: {"operations": [...]}.' },
  ]);
  expect(
    (
      await batch(
        "ana",
        Array.from({ length: 101 }, () => order("A")),
      )
    ).status,
  ).toBe(422);
  expect(await count("orders")).toBe(0);
});

test("it supports dry runs and idempotency keys", async () => {
  const tried = await batch("ana", [order("A"), line(1)], {}, { dry_run: true });
  expect([tried.status, tried.headers.get("plinth-dry-run"), await count("orders")]).toEqual([200, "true", 0]);
  const once = { "idempotency-key": "b1" };
  const replies = await Promise.all(Array.from({ length: 8 }, () => batch("ana", [order("A"), line(1)], once)));
  expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const again = await batch("ana", [order("A"), line(1)], once);
  expect([again.status, again.headers.get("idempotency-replayed"), await count("orders")]).toEqual([200, "true", 1]);
  expect((await batch("ana", [order("B")], once)).json).toMatchObject({
    code: "idempotency_key_reused",
    detail: "The first request with this key had another method, path or body. Use another key for this one.",
  });
});

test("batches in opposite order all end, and lose nothing", async () => {
  const owner = (await cell.rows(project, "select id from {schema}.users limit 1"))[0]?.["id"];
  const made = await Promise.all(
    ["A", "B"].map((number) => cell.send("admin", "POST", "/api/orders", { number, owner_id: owner })),
  );
  const [a, b] = made.map(({ json }) => json.data.id);
  const add = (id: string): object => ({ method: "PATCH", path: `/api/orders/${id}`, body: { total: { add: 1 } } });
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => batch("admin", n % 2 === 0 ? [add(a), add(b)] : [add(b), add(a)])),
  );
  const done = replies.filter(({ status }) => status === 200).length;
  expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const totals = await cell.rows(project, "select total from {schema}.orders");
  expect(totals.map(({ total }) => total)).toEqual([done, done]);
});

test("each operation counts against the rate limit", async () => {
  const left = (reply: TestReply): number => Number(/r=(\d+)/.exec(reply.headers.get("ratelimit") ?? "")?.[1]);
  const before = left(await cell.send("ben", "GET", "/api/orders"));
  const many = Array.from({ length: 80 }, (_, n) => ({ ...order(`N${n}`), as: `o${n}` }));
  const reply = await batch("ben", many);
  expect(reply.status, reply.text).toBe(200);
  // Some have come back meanwhile.
  expect(before - left(reply)).toBeGreaterThan(40);
});

/** A batch that has created a bill, and then waits for a record that somebody else has locked. */
async function waiting(more: object): Promise<{ readonly reply: Promise<TestReply>; free(): Promise<void> }> {
  const { id } = (await cell.send("admin", "POST", "/api/orders", { number: "held", owner_id: await anyUser() })).json
    .data;
  const client = await cell.pool.connect();
  await client.query("begin");
  await client.query(`select 1 from "${project.names.schema}".orders where id = $1 for update`, [id]);
  const operations = [
    { method: "POST", path: "/api/bills", body: { text: "x" } },
    { method: "PATCH", path: `/api/orders/${id}`, body: { total: 1 } },
  ];
  const reply = batch("admin", operations, {}, more);
  const waits =
    "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%\"orders\"%' and state = 'active'";
  while ((await cell.pool.query(waits)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  return {
    reply,
    free: async () => {
      await client.query("rollback");
      client.release();
    },
  };
}

async function anyUser(): Promise<unknown> {
  return (await cell.rows(project, "select id from {schema}.users limit 1"))[0]?.["id"];
}

const bill = (): Promise<TestReply> => cell.send("admin", "POST", "/api/bills", { text: "y" });

test("a dry run of a batch blocks no numbers, and forecasts its own", async () => {
  const { reply, free } = await waiting({ dry_run: true });
  let isAnswered = false;
  void reply.then(() => {
    isAnswered = true;
  });
  const made = await bill();
  const wasAnswered = isAnswered;
  await free();
  expect([made.status, made.json.data?.number, wasAnswered], made.text).toEqual([201, "B-1", false]);
  expect((await reply).json.data[0].data.number).toBe("B-1");
  const several = await batch(
    "admin",
    [1, 2].map(() => ({ method: "POST", path: "/api/bills", body: { text: "z" } })),
    {},
    { dry_run: true },
  );
  expect(several.json.data.map(({ data }: { data: { number: string } }) => data.number)).toEqual(["B-2", "B-3"]);
  expect((await bill()).json.data.number).toBe("B-2");
});

test("a batch with a number has a limited time, and returns the number after it", async () => {
  const { reply, free } = await waiting({});
  const refused = await reply;
  await free();
  expect([refused.status, refused.json.code, refused.json.detail], refused.text).toEqual([
    409,
    "conflict",
    expect.stringContaining("number"),
  ]);
  expect((await bill()).json.data.number).toBe("B-3");
});
