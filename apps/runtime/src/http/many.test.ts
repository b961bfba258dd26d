// Several records in one request: all or none, or each by itself; every record under the rules, checks and traces of a
// single write.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(testBlueprint);
  const other = await cell.addProject(testBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  await cell.addUser("bob", project, ["owner", "user"]);
  await cell.addUser("eve", other, ["admin", "owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
});
afterAll(() => cell?.close());

const chairs = (count: number): object[] =>
  Array.from({ length: count }, (_, i) => ({ title: `Chair ${i}`, price: i }));

async function created(count: number, as = "ana"): Promise<string[]> {
  const reply = await cell.send(as, "POST", "/api/listings", chairs(count));
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.map((each: { id: string }) => each.id);
}

async function refused(
  status: number,
  request: Parameters<TestCell["send"]>,
): Promise<{ path: string; code: string }[]> {
  const before = await cell.fingerprint(project);
  const reply = await cell.send(...request);
  expect(reply.status, reply.text).toBe(status);
  expect(await cell.fingerprint(project)).toBe(before);
  return (reply.json.errors ?? []).map(({ path, code }: { path: string; code: string }) => ({ path, code }));
}

async function auditLines(ids: readonly string[], operation: string): Promise<number> {
  const text = "select count(*)::int as n from {schema}.audit_log where record_id = any($1::uuid[]) and operation = $2";
  return (await cell.rows(project, text, [ids, operation]))[0]?.n as number;
}

describe("all or none", () => {
  test("creates in the order sent, each with its line in the audit log", async () => {
    const reply = await cell.send("ana", "POST", "/v1/resources/listings", chairs(3));
    expect(reply.status, reply.text).toBe(201);
    const { data } = reply.json;
    expect(data.map((each: { title: string }) => each.title)).toEqual(["Chair 0", "Chair 1", "Chair 2"]);
    expect(data[0]).toMatchObject({ price: 0, status: "draft", version: 1 });
    const ids = data.map((each: { id: string }) => each.id);
    expect(await auditLines(ids, "create")).toBe(3);
  });

  test("updates and deletes, in the order sent", async () => {
    const ids = await created(3);
    const changes = [...ids].reverse().map((id, i) => ({ id, price: 50 + i }));
    const updated = await cell.send("ana", "PATCH", "/api/listings", changes);
    expect(updated.status, updated.text).toBe(200);
    expect(updated.json.data.map(({ id, price }: { id: string; price: number }) => ({ id, price }))).toEqual(changes);
    expect(await auditLines(ids, "update")).toBe(3);
    const gone = await cell.send("ana", "DELETE", `/api/listings?id[in]=${ids.join(",")}`);
    expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: "" });
    expect(await auditLines(ids, "delete")).toBe(3);
  });

  test("reports all problems of all items at once, and writes nothing", async () => {
    const list = [{ title: "Lamp", price: 1 }, { price: "x" }, { title: "Lamp", price: 1, colour: "red" }, 7];
    expect(await refused(422, ["ana", "POST", "/api/listings", list])).toEqual([
      { path: "/1/title", code: "required" },
      { path: "/1/price", code: "wrong_type" },
      { path: "/2/colour", code: "unknown_field" },
      { path: "/3", code: "wrong_type" },
    ]);
  });

  test("rolls everything back at the first refusal, which names the item", async () => {
    const list = [...chairs(2), { title: "Twin", price: 1, code: "t1" }, { title: "Twin", price: 1, code: "t1" }];
    expect(await refused(409, ["ana", "POST", "/api/listings", list])).toEqual([{ path: "/3/code", code: "taken" }]);
    const [mine] = await created(1);
    const [theirs] = await created(1, "bob");
    const missing = "018f0000-0000-7000-8000-000000000001";
    for (const id of [theirs, missing]) {
      const changes = [
        { id: mine, price: 9 },
        { id, price: 9 },
      ];
      expect(await refused(404, ["ana", "PATCH", "/api/listings", changes])).toEqual([
        { path: "/1", code: "not_found" },
      ]);
      const path = `/api/listings?id[in]=${mine},${id}`;
      expect(await refused(404, ["ana", "DELETE", path])).toEqual([{ path: "/1", code: "not_found" }]);
    }
    expect(await refused(404, ["eve", "PATCH", "/api/listings", [{ id: mine, price: 1 }]])).toHaveLength(1);
  });

  test("changes only the versions that items name", async () => {
    const [a, b] = await created(2);
    const reply = await cell.send("ana", "PATCH", "/api/listings", [{ id: a, version: 1, price: 2 }]);
    expect(reply.json.data[0].version).toBe(2);
    const stale = [
      { id: b, version: 1, price: 3 },
      { id: a, version: 1, price: 3 },
    ];
    expect(await refused(412, ["ana", "PATCH", "/api/listings", stale])).toMatchObject([{ path: "/1" }]);
  });

  test("lists in different orders wait for each other, and all succeed", async () => {
    const ids = await created(20);
    const lists = Array.from({ length: 8 }, (_, n) => {
      const order = n % 2 === 0 ? ids : [...ids].reverse();
      return order.map((id) => ({ id, price: n }));
    });
    const replies = await Promise.all(lists.map((list) => cell.send("ana", "PATCH", "/api/listings", list)));
    expect(replies.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([]);
    const rows = await cell.rows(
      project,
      "select distinct price, version::int from {schema}.listings where id = any($1)",
      [ids],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.version).toBe(9);
  });
});

test("a list with an Idempotency-Key is written once", async () => {
  const send = (list: object[]) => cell.send("ana", "POST", "/api/listings", list, { "idempotency-key": "list-1" });
  const [first, second] = [await send(chairs(2)), await send(chairs(2))];
  expect(first.status, first.text).toBe(201);
  expect(second.text).toBe(first.text);
  expect(second.headers.get("idempotency-replayed")).toBe("true");
  expect((await send(chairs(3))).json.code).toBe("idempotency_key_reused");
  const each = await cell.send("ana", "POST", "/api/listings?mode=each", chairs(1), { "idempotency-key": "list-2" });
  expect(each.status).toBe(400);
});

describe("each by itself", () => {
  test("creates what it can, and reports why the rest is refused", async () => {
    const list = [
      { title: "Own", price: 1, code: "e1" },
      { title: "Own", price: 1, code: "e1" },
      { title: 3 },
      chairs(1)[0],
    ];
    const reply = await cell.send("ana", "POST", "/api/listings?mode=each", list);
    expect(reply.status, reply.text).toBe(200);
    const { data } = reply.json;
    expect(data.map((each: { status: number }) => each.status)).toEqual([201, 409, 422, 201]);
    expect(data[0].data).toMatchObject({ title: "Own", version: 1 });
    expect(data[1].error).toMatchObject({ code: "unique_violation", errors: [{ path: "/code" }] });
    expect(data[2].error.errors.map((error: { path: string }) => error.path).sort()).toEqual(["/price", "/title"]);
  });

  test("updates and deletes what the caller is allowed to", async () => {
    const [mine] = await created(1);
    const [theirs] = await created(1, "bob");
    const changes = [
      { id: theirs, price: 4 },
      { id: mine, price: 4 },
    ];
    const updated = await cell.send("ana", "PATCH", "/api/listings?mode=each", changes);
    expect(updated.json.data.map((each: { status: number }) => each.status)).toEqual([404, 200]);
    const deleted = await cell.send("ana", "DELETE", `/api/listings?id[in]=${theirs},nonsense,${mine}&mode=each`);
    expect(deleted.json.data.map((each: { status: number }) => each.status)).toEqual([404, 404, 204]);
    expect(deleted.json.data[2]).toEqual({ status: 204 });
  });
});

test("refuses lists that are empty, too long, no lists, or name a record twice", async () => {
  const [a] = await created(1);
  for (const method of ["POST", "PATCH"]) {
    expect(await refused(422, ["ana", method, "/api/listings", []])).toEqual([{ path: "", code: "too_few" }]);
    expect(await refused(422, ["ana", method, "/api/listings", chairs(101)])).toEqual([{ path: "", code: "too_many" }]);
  }
  expect(await refused(422, ["ana", "PATCH", "/api/listings", { id: a }])).toEqual([{ path: "", code: "wrong_type" }]);
  const twice = [
    { id: a, price: 1 },
    { id: a?.toUpperCase(), price: 2 },
  ];
  expect(await refused(422, ["ana", "PATCH", "/api/listings", twice])).toEqual([{ path: "/1/id", code: "repeated" }]);
  expect(await refused(422, ["ana", "DELETE", `/api/listings?id[in]=${a},${a}`])).toMatchObject([{ path: "/1" }]);
  const nameless = [{ price: 1 }, { id: "x", price: 1 }];
  expect((await refused(422, ["ana", "PATCH", "/api/listings", nameless])).map(({ path }) => path)).toEqual([
    "/0/id",
    "/1/id",
  ]);
  for (const path of ["/api/listings", "/api/listings?id[in]=", `/api/listings?id[in]=${a}&mode=some`]) {
    await refused(400, ["ana", "DELETE", path]);
  }
  await refused(400, ["ana", "DELETE", `/api/listings?id[in]=${a}&status=draft`]);
  await refused(400, ["ana", "POST", "/api/listings?mode=all&mode=each", chairs(1)]);
  await refused(403, ["pub", "PATCH", "/api/listings", [{ id: a, price: 1 }]]);
  await refused(403, ["pub", "DELETE", `/api/listings?id[in]=${a}`]);
});

test("checks a large list in a thread of its own", async () => {
  const list = chairs(100).map((each) => ({ ...each, description: "d".repeat(2_000) }));
  const reply = await cell.send("ana", "POST", "/api/listings", list);
  expect(reply.status, reply.text.slice(0, 300)).toBe(201);
  expect(reply.json.data).toHaveLength(100);
  const wrong = list.map((each, i) => (i === 77 ? { ...each, price: null } : each));
  expect(await refused(422, ["ana", "POST", "/api/listings", wrong])).toMatchObject([{ path: "/77/price" }]);
});

test("costs as many requests as it has records", async () => {
  const limited = await createTestCell({ limits: { caller: { perSecond: 1, burst: 30 } } });
  const own = await limited.addProject(testBlueprint);
  await limited.addUser("ana", own, ["owner", "user"]);
  const first = await limited.send("ana", "POST", "/api/listings", chairs(20));
  expect(first.headers.get("ratelimit")).toContain("r=10;");
  expect((await limited.send("ana", "POST", "/api/listings", chairs(20))).status).toBe(429);
  expect((await limited.send("ana", "POST", "/api/listings", chairs(1))).status).toBe(201);
  await limited.close();
});

test("several records can be written in a dry run", async () => {
  const before = await cell.fingerprint(project);
  const list = chairs(2);
  const reply = await cell.send("ana", "POST", "/api/listings?dry_run=true", list);
  expect([reply.status, reply.headers.get("plinth-dry-run"), reply.json.data.length]).toEqual([201, "true", 2]);
  expect(await refused(422, ["ana", "POST", "/api/listings?dry_run=true", [{ title: 7, price: 1 }]])).toMatchObject([
    { path: "/0/title" },
  ]);
  await refused(400, ["ana", "POST", "/api/listings?dry_run=true&mode=each", list]);
  await refused(400, ["ana", "POST", "/api/listings?dry_run=maybe", list]);
  expect(await cell.fingerprint(project)).toBe(before);
});
