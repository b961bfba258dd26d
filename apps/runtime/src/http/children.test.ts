// Records in the body of the record that they refer to: one request, one transaction, each judged by its own rights and
// rules.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: shop
roles: { clerk: {} }
modules: [auth, users, roles, audit_logs]
entities:
  order:
    fields:
      number: string unique
      note: string?
      owner_id: user_ref = current_user.id
      total: computed(lines.sum(l, l.price))
    permissions:
      owner: { read: owner_id == current_user.id, update: owner_id == current_user.id }
      user: { create: true }
      clerk: { create: true }
      admin: { all: true }
  line:
    fields:
      order_id: ref(order) on_delete(cascade)
      text: string
      price: { type: int, min: 0 }
    checks:
      small: price < 1000
    permissions:
      user:
        read: order.owner_id == current_user.id
        create: order.owner_id == current_user.id
        update: order.owner_id == current_user.id
      admin: { all: true }
  part:
    fields: { line_id: ref(line) on_delete(cascade), name: string }
    permissions:
      user: { read: true, create: true, delete: true }
      admin: { all: true }
  mark:
    fields: { part_id: ref(part) on_delete(cascade), text: string }
    permissions: { user: { read: true, create: true } }
  stain:
    fields: { mark_id: ref(mark) on_delete(cascade), text: string }
    permissions: { user: { read: true, create: true } }
  crew:
    fields: { name: string, boss_id: ref(crew)? as(minions), captain_id: ref(crew)? as(sailors) }
    permissions:
      user: { read: { allow: true, fields: [name, captain_id] }, create: true, update: true, delete: true }
      clerk: { read: { allow: name == "seen", fields: [name, boss_id] }, update: true, delete: true }
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("ben", project, ["owner", "user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("clerk", project, keyPrincipal("key_clerk", ["clerk"]));
});
beforeEach(() =>
  cell.rows(
    project,
    "truncate {schema}.orders, {schema}.lines, {schema}.parts, {schema}.audit_log, {schema}.idempotency__replies cascade",
  ),
);
afterAll(() => cell?.close());

const counts = async (): Promise<readonly number[]> =>
  Promise.all(
    ["orders", "lines", "parts", "audit_log"].map(async (table) => {
      const [row] = await cell.rows(project, `select count(*)::int as n from {schema}.${table}`);
      return Number(row?.["n"]);
    }),
  );
const create = (body: object, headers = {}, query = ""): Promise<TestReply> =>
  cell.send("ana", "POST", `/api/orders${query}`, body, headers);
const order = (more: object = {}): object => ({
  number: "A",
  lines: [
    { text: "one", price: 3, parts: [{ name: "x" }, { name: "y" }] },
    { text: "two", price: 4 },
  ],
  ...more,
});
const paths = ({ status, json }: TestReply): unknown => [
  status,
  json.code,
  json.errors?.map(({ path }: { path: string }) => path),
];

test("a record is created with its children and grandchildren, and returned with them", async () => {
  const reply = await create(order());
  expect(reply.status, reply.text).toBe(201);
  const { data } = reply.json;
  expect(data).toMatchObject({
    number: "A",
    total: 7,
    lines: [
      { text: "one", price: 3, order_id: data.id, parts: [{ name: "x" }, { name: "y" }] },
      { text: "two", price: 4, order_id: data.id },
    ],
  });
  expect(reply.headers.get("location")).toBe(`/api/orders/${data.id}`);
  expect(reply.headers.get("etag")).toMatch(/^"1-/);
  expect(await counts()).toEqual([1, 2, 2, 5]);
  const audits = await cell.rows(project, "select distinct request_id from {schema}.audit_log");
  expect(audits).toHaveLength(1);
});

test("children of an existing record are created, changed and deleted together with its own fields", async () => {
  const { data } = (await create(order())).json;
  const [one, two] = data.lines;
  const reply = await cell.send("ana", "PATCH", `/api/orders/${data.id}`, {
    note: "n",
    lines: {
      create: [{ text: "three", price: 10 }],
      update: [{ id: one.id, version: 1, price: 5, parts: { delete: [one.parts[0].id], create: [{ name: "z" }] } }],
    },
  });
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json.data).toMatchObject({
    note: "n",
    total: 19,
    lines: [{ price: 5, parts: [{ name: "z" }] }, { text: "three" }],
  });
  const removed = await cell.send("admin", "PATCH", `/api/orders/by/number/A`, { lines: { delete: [two.id] } });
  expect([removed.status, removed.json.data.total, removed.json.data.lines]).toEqual([200, 15, []]);
});

test("an upsert takes children too, whether or not the record exists", async () => {
  const put = (lines: object): Promise<TestReply> =>
    cell.send("ana", "PUT", "/api/orders/by/number/U", { lines: { create: [lines] } });
  expect((await put({ text: "one", price: 1 })).status).toBe(201);
  const again = await put({ text: "two", price: 2 });
  expect([again.status, again.json.data.total]).toEqual([200, 3]);
});

test("children can be nested three levels deep, in every kind of write", async () => {
  const deep = (stains: object): object => ({
    number: "D",
    lines: {
      create: [
        { text: "a", price: 1, parts: { create: [{ name: "x", marks: { create: [{ text: "m", ...stains }] } }] } },
      ],
    },
  });
  const reply = await create(deep({}));
  expect(reply.json.data?.lines[0].parts[0].marks[0], reply.text).toMatchObject({ text: "m" });
  expect(paths(await create(deep({ stains: [{ text: "s" }] })))).toEqual([
    422,
    "validation_failed",
    ["/lines/create/0/parts/create/0/marks/create/0/stains"],
  ]);
  const plain = { number: "E", lines: [{ text: "a", price: 1, parts: [{ name: "x", marks: [{ text: "m" }] }] }] };
  expect((await create(plain)).status).toBe(201);
});

test("the first refusal rolls everything back, and names its place", async () => {
  const wrong = order({
    number: 7,
    lines: [
      { text: "a", price: -1 },
      { price: 2, parts: [{ nam: "x" }] },
    ],
  });
  expect(paths(await create(wrong))).toEqual([
    422,
    "validation_failed",
    ["/number", "/lines/0/price", "/lines/1/text", "/lines/1/parts/0/name", "/lines/1/parts/0/nam"],
  ]);
  expect(
    paths(
      await create(
        order({
          lines: [
            { text: "a", price: 1 },
            { text: "b", price: 1000 },
          ],
        }),
      ),
    ),
  ).toEqual([422, "validation_failed", ["/lines/1"]]);
  await create(order());
  expect(paths(await create(order()))).toEqual([409, "unique_violation", ["/number"]]);
  expect(await counts()).toEqual([1, 2, 2, 5]);
});

test("members that aren't allowed there are refused", async () => {
  const { data } = (await create(order())).json;
  const other = (await create(order({ number: "B" }))).json.data;
  const patch = async (lines: unknown, as = "ana"): Promise<unknown> =>
    paths(await cell.send(as, "PATCH", `/api/orders/${data.id}`, { lines }));
  const id = data.lines[0].id;
  expect(await patch([{ text: "a", price: 1 }])).toEqual([422, "validation_failed", ["/lines"]]);
  expect(await patch({ replace: [] })).toEqual([422, "validation_failed", ["/lines/replace"]]);
  expect(await patch({ create: [{ text: "a", price: 1, order_id: other.id }] })).toEqual([
    422,
    "validation_failed",
    ["/lines/create/0/order_id"],
  ]);
  expect(await patch({ update: [{ id: other.lines[0].id, price: 1 }] })).toEqual([
    404,
    "not_found",
    ["/lines/update/0"],
  ]);
  expect(await patch({ update: [{ price: 1 }] })).toEqual([422, "validation_failed", ["/lines/update/0/id"]]);
  expect(await patch({ update: [{ id, version: 9, price: 1 }] })).toEqual([
    412,
    "precondition_failed",
    ["/lines/update/0"],
  ]);
  expect(await patch({ delete: [id] })).toEqual([403, "forbidden", ["/lines/delete/0"]]);
  expect(await patch({ delete: [other.lines[0].id] }, "admin")).toEqual([404, "not_found", ["/lines/delete/0"]]);
  expect(await patch({ create: [{ text: "a", price: 1 }] }, "ben")).toEqual([404, "not_found", undefined]);
  expect(await patch(7)).toEqual([422, "validation_failed", ["/lines"]]);
  expect(await patch({ create: [7] })).toEqual([422, "validation_failed", ["/lines/create/0"]]);
  const many = Array.from({ length: 100 }, () => ({ text: "a", price: 1 }));
  expect(paths(await create(order({ number: "C", lines: many })))).toEqual([422, "validation_failed", [""]]);
  expect(await counts()).toEqual([2, 4, 4, 10]);
});

test("a child is not found through a field that the caller can't read", async () => {
  const make = async (values: object): Promise<string> =>
    (await cell.send("admin", "POST", "/api/crews", values)).json.data.id;
  const [boss, other] = [await make({ name: "seen" }), await make({ name: "seen" })];
  const seen = await make({ name: "seen", boss_id: boss, captain_id: boss });
  const unseen = await make({ name: "unseen", boss_id: boss });
  const answers = (as: string, minions: object, name = "minions"): Promise<readonly unknown[]> =>
    Promise.all(
      [boss, other].map(async (at) =>
        paths(await cell.send(as, "PATCH", `/api/crews/${at}?dry_run=true`, { [name]: minions })),
      ),
    );
  // They can't read the field, so its relation can't be followed, as in an expansion.
  for (const id of [seen, unseen]) {
    const closed = [403, "forbidden", ["/minions/update/0"]];
    expect(await answers("ana", { update: [{ id, name: "x" }] })).toEqual([closed, closed]);
  }
  expect((await answers("ana", { delete: [seen] }))[0]).toEqual([403, "forbidden", ["/minions/delete/0"]]);
  // They can read it in some records only.
  const missing = [404, "not_found", ["/minions/update/0"]];
  const found = [200, undefined, undefined];
  expect(await answers("clerk", { update: [{ id: unseen, name: "x" }] })).toEqual([missing, missing]);
  expect(await answers("clerk", { update: [{ id: seen, name: "seen" }] })).toEqual([found, missing]);
  // They can follow a reference that they can read, and they know the references of records that they create.
  expect((await answers("ana", { update: [{ id: seen, name: "x" }] }, "sailors"))[0]).toEqual(found);
  expect(await answers("ana", { create: [{ name: "new" }] })).toEqual([found, found]);
});

test("a caller who can create the record but not its children creates neither", async () => {
  const reply = await cell.send("clerk", "POST", "/api/orders", order({ owner_id: null }));
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(await counts()).toEqual([0, 0, 0, 0]);
});

test("it supports dry runs and idempotency keys", async () => {
  const tried = await create(order(), {}, "?dry_run=true");
  expect([tried.status, tried.headers.get("plinth-dry-run"), tried.headers.get("location")]).toEqual([
    201,
    "true",
    null,
  ]);
  expect(tried.json.data.total).toBe(7);
  expect(await counts()).toEqual([0, 0, 0, 0]);
  const once = { "idempotency-key": "o1" };
  const replies = await Promise.all(Array.from({ length: 8 }, () => create(order(), once)));
  expect(replies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
  const again = await create(order(), once);
  expect([again.status, again.headers.get("idempotency-replayed"), again.json.data.total]).toEqual([201, "true", 7]);
  expect(await counts()).toEqual([1, 2, 2, 5]);
});

test("If-Match is about the record itself", async () => {
  const made = await create(order());
  const path = `/api/orders/${made.json.data.id}`;
  const add = { lines: { create: [{ text: "c", price: 1 }] } };
  const stale = await cell.send("ana", "PATCH", path, add, { "if-match": '"7-x"' });
  expect(paths(stale)).toEqual([412, "precondition_failed", undefined]);
  const fresh = await cell.send("ana", "PATCH", path, add, { "if-match": made.headers.get("etag") ?? "" });
  expect([fresh.status, fresh.json.data.total, fresh.json.data.version]).toEqual([200, 8, 2]);
  const again = await cell.send("ana", "PATCH", path, add, { "if-match": made.headers.get("etag") ?? "" });
  expect(paths(again)).toEqual([412, "precondition_failed", undefined]);
});

test("a list of records refuses records with children", async () => {
  expect(paths(await cell.send("ana", "POST", "/api/orders", [order()]))).toEqual([
    422,
    "validation_failed",
    ["/0/lines"],
  ]);
});

test("the reply to a write shows the selected fields, like a read", async () => {
  const made = await create(order(), {}, "?fields=number,total,lines.price&expand=lines&expand[lines][sort]=-price");
  expect(made.status, made.text).toBe(201);
  expect(made.json.data).toEqual({ number: "A", total: 7, lines: [{ price: 4 }, { price: 3 }] });
  expect(made.headers.get("etag")).toMatch(/^"1-/);
  const path = made.headers.get("location") ?? "";
  const changed = await cell.send("ana", "PATCH", `${path}?fields=note`, { note: "n" });
  expect([changed.status, changed.json.data]).toEqual([200, { note: "n" }]);
  const put = await cell.send("ana", "PUT", "/api/orders/by/number/A?expand=owner&fields=owner.id", {});
  expect([put.status, put.json.data.note, Object.keys(put.json.data.owner)]).toEqual([200, "n", ["id"]]);
  const once = { "idempotency-key": "shown" };
  const replies = [
    await create({ number: "S" }, once, "?fields=total"),
    await create({ number: "S" }, once, "?fields=total"),
  ];
  expect(replies.map(({ status, json }) => [status, json.data])).toEqual([
    [201, { total: 0 }],
    [201, { total: 0 }],
  ]);
  const tried = await create({ number: "T" }, {}, "?dry_run=true&fields=number");
  expect([tried.status, tried.json.data]).toEqual([201, { number: "T" }]);
  expect((await create({ number: "T" }, {}, "?fields=colour")).status).toBe(400);
  expect((await create({ number: "T" }, {}, "?sort=number")).json.errors[0]).toMatchObject({ path: "sort" });
  expect((await cell.send("admin", "DELETE", `${path}?fields=number`)).status).toBe(400);
  expect(await counts()).toEqual([2, 2, 2, 7]);
});

test("concurrent writes of the same records' children lose nothing and duplicate nothing", async () => {
  const made = await Promise.all(["L", "M"].map((number) => create({ number })));
  const ids = made.map(({ json }) => json.data.id);
  const lines = {
    create: [
      { text: "x", price: 1 },
      { text: "y", price: 2 },
    ],
  };
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      n % 3 === 0
        ? cell.send("ana", "PUT", `/api/orders/by/number/${"LM"[n % 2]}`, { lines })
        : cell.send("ana", "PATCH", `/api/orders/${ids[n % 2]}`, { note: String(n), lines }),
    ),
  );
  expect(replies.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
  const totals = await Promise.all(ids.map((id) => cell.send("ana", "GET", `/api/orders/${id}`)));
  expect(totals.map(({ json }) => json.data.total)).toEqual([60, 60]);
  expect((await counts())[1]).toBe(80);
});
