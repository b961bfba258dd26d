// Grants over HTTP: which fields a caller can read and write, which values the service sets instead, and how long a
// page can be.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";
import { wholeBlueprint } from "./testing/whole-blueprint.ts";

let cell: TestCell;
let project: TestProject;
let ana: string;
let edi: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(wholeBlueprint);
  ana = await cell.addUser("ana", project, ["owner", "user"]);
  edi = await cell.addUser("edi", project, ["editor", "owner", "user"]);
  await cell.addUser("bob", project, ["owner", "user"]);
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  for (let i = 0; i < 40; i++) await paper("ana", { title: `T${i}` }, { salary: 1000 + i, grade: i % 5 });
});
afterAll(() => cell?.close());

const path = "/v1/resources/papers";

async function paper(as: string, values: object, more: object = {}): Promise<string> {
  const created = await cell.send(as, "POST", path, values);
  expect(created.status, created.text).toBe(201);
  const { id } = created.json.data;
  if (Object.keys(more).length > 0) {
    const updated = await cell.send("adminkey", "PATCH", `${path}/${id}`, more);
    expect(updated.status, updated.text).toBe(200);
  }
  return id;
}

async function refused(status: number, code: string, request: Parameters<TestCell["send"]>): Promise<string[]> {
  const before = await cell.fingerprint(project);
  const reply = await cell.send(...request);
  expect([reply.status, reply.json?.code], reply.text).toEqual([status, code]);
  expect(await cell.fingerprint(project)).toBe(before);
  return (reply.json.errors ?? []).map((each: { path: string; code: string }) => `${each.path} ${each.code}`);
}

describe("reading", () => {
  test("shows the fields of the grants that hold for the record", async () => {
    const id = await paper("ana", { title: "Mine", body: "text" }, { salary: 5, grade: 1 });
    const all = Object.keys((await cell.send("adminkey", "GET", `${path}/${id}`)).json.data);
    expect(all).toContain("salary");
    const seen = async (as: string): Promise<readonly [string[], string[]]> => {
      const one = await cell.send(as, "GET", `${path}/${id}`);
      const list = await cell.send(as, "GET", `${path}?id=${id}`);
      expect(list.json.data[0]).toEqual(one.json.data);
      return [Object.keys(one.json.data), Object.keys(list.json.data[0])];
    };
    expect(await seen("pub")).toEqual([
      ["id", "title", "created_at"],
      ["id", "title", "created_at"],
    ]);
    expect(await seen("bob")).toEqual([
      ["id", "title", "created_at"],
      ["id", "title", "created_at"],
    ]);
    expect((await seen("ana"))[0]).toEqual(all);
    const editor = ["id", "title", "body", "grade", "created_at"];
    expect((await seen("edi"))[0]).toEqual(editor);
    const own = await paper("edi", { title: "Edi's" });
    expect(Object.keys((await cell.send("edi", "GET", `${path}/${own}`)).json.data)).toEqual(all);
  });

  test("shows a null as null, and a hidden field not at all", async () => {
    const id = await paper("edi", { title: "Edi's" });
    const mixed = (await cell.send("edi", "GET", `${path}?limit=30`)).json.data;
    expect(mixed.find((each: { id: string }) => each.id === id)).toHaveProperty("salary", null);
    expect(
      mixed.filter((each: object) => "salary" in each).every((each: { author_id: string }) => each.author_id === edi),
    ).toBe(true);
  });

  test("neither filters nor sorts by what the caller can't read", async () => {
    for (const query of ["salary=1000", "sort=salary", "sort=-author_id"]) {
      expect(await refused(403, "forbidden", ["pub", "GET", `${path}?${query}`])).toHaveLength(1);
    }
    // The field is readable in some records only: a filter finds those, but an order would reveal the others.
    const mine = await cell.send("ana", "GET", `${path}?salary=1003`);
    expect(mine.json.data).toHaveLength(1);
    expect((await cell.send("bob", "GET", `${path}?salary=1003`)).json.data).toEqual([]);
    await refused(403, "forbidden", ["bob", "GET", `${path}?sort=salary`]);
    expect((await cell.send("adminkey", "GET", `${path}?sort=salary`)).status).toBe(200);
  });

  test("limits a page by the largest of the caller's grants", async () => {
    const count = async (as: string, query: string): Promise<number> =>
      (await cell.send(as, "GET", `${path}${query}`)).json.data.length;
    expect(await count("pub", "")).toBe(5);
    expect(await count("pub", "?limit=3")).toBe(3);
    await refused(400, "bad_request", ["pub", "GET", `${path}?limit=6`]);
    // An owner's own grant has no limit, so the API's limit counts.
    expect(await count("bob", "")).toBe(20);
    expect(await count("adminkey", "?limit=40")).toBe(40);
  });

  test("continues by cursor under a small limit", async () => {
    const first = await cell.send("pub", "GET", path);
    const next = await cell.send("pub", "GET", `${path}?cursor=${first.json.page.next_cursor}`);
    expect(next.json.data).toHaveLength(5);
    expect(next.json.data[0].id).not.toBe(first.json.data[4].id);
  });
});

describe("writing", () => {
  test("takes only the fields of a grant, and names the others", async () => {
    const errors = await refused(403, "forbidden", ["ana", "POST", path, { title: "x", salary: 1, grade: 2 }]);
    expect(errors.sort()).toEqual(["/grade not_writable", "/salary not_writable"]);
    const id = await paper("ana", { title: "x" });
    expect(await refused(403, "forbidden", ["ana", "PATCH", `${path}/${id}`, { grade: 1 }])).toEqual([
      "/grade not_writable",
    ]);
    expect((await cell.send("ana", "PATCH", `${path}/${id}`, { body: "b" })).status).toBe(200);
    expect((await cell.send("adminkey", "PATCH", `${path}/${id}`, { salary: 3 })).status).toBe(200);
  });

  test("allows values that the service generates from the body", async () => {
    for (const as of ["ana", "edi"]) {
      const created = await cell.send(as, "POST", "/api/memos", { text: "Two words" });
      expect(created.json.data, created.text).toMatchObject({ handle: "two-words" });
    }
    expect(await refused(403, "forbidden", ["ana", "POST", "/api/memos", { text: "t", handle: "x" }])).toEqual([
      "/handle not_writable",
    ]);
  });

  test("is the union of the grants that hold for the record", async () => {
    const other = await paper("ana", { title: "Ana's" });
    const own = await paper("edi", { title: "Edi's" });
    expect(await refused(403, "forbidden", ["edi", "PATCH", `${path}/${other}`, { title: "t", grade: 1 }])).toEqual([
      "/title not_writable",
    ]);
    expect((await cell.send("edi", "PATCH", `${path}/${other}`, { grade: 1 })).status).toBe(200);
    expect((await cell.send("edi", "PATCH", `${path}/${own}`, { title: "t", grade: 1 })).status).toBe(200);
  });

  test("hides unreadable fields in the same way, whatever is sent", async () => {
    const missing = "018f0000-0000-7000-8000-000000000000";
    await refused(404, "not_found", ["ana", "PATCH", `${path}/${missing}`, { title: "x" }]);
  });
});

describe("values that a grant sets", () => {
  test("replace the caller's, from request and credential", async () => {
    const sent = { name: "n", seen_from: "10.0.0.1" };
    const created = await cell.send("pub", "POST", "/api/callers", sent);
    expect(created.status, created.text).toBe(201);
    expect(created.json.data).toMatchObject({ seen_from: "127.0.0.1", kind: "publishable" });
    // With a role that sets nothing, the caller is free.
    const free = await cell.send("adminkey", "POST", "/api/callers", sent);
    expect(free.json.data).toMatchObject({ seen_from: "10.0.0.1", kind: null });
  });

  test("are written whatever was sent, even if nothing was", async () => {
    const { id } = (await cell.send("adminkey", "POST", "/api/memos", { text: "t" })).json.data;
    for (const body of [{ signed_by: edi }, {}]) {
      await cell.send("adminkey", "PATCH", `/api/memos/${id}`, { signed_by: null });
      const updated = await cell.send("ana", "PATCH", `/api/memos/${id}`, body);
      expect(updated.json.data, updated.text).toMatchObject({ signed_by: ana });
    }
  });

  test("are not forced on callers with a grant without them", async () => {
    const id = await paper("ana", { title: "x" });
    const updated = await cell.send("edi", "PATCH", `${path}/${id}`, { grade: 4 });
    expect(updated.status, updated.text).toBe(200);
    const [row] = await cell.rows(project, "select reviewed_by from {schema}.papers where id = $1", [id]);
    expect(row?.reviewed_by).toBeNull();
    const [own] = await cell.rows(project, "select author_id from {schema}.papers where id = $1", [id]);
    expect(own?.author_id).toBe(ana);
  });
});

test("a calculated time that no client could write is null", async () => {
  const due = await cell.addProject(`project: loans
modules: [auth, users, roles, audit_logs]
entities:
  loan:
    fields: { at: datetime, days: duration, due: datetime?, left: duration? }
    permissions:
      user:
        read: true
        create: true
        update: { allow: true, set: { due: at + days, left: "days - duration('PT1H')" } }
`);
  await cell.addUser("cleo", due, ["owner", "user"]);
  const lent = async (at: string, days: string): Promise<object> => {
    const { id } = (await cell.send("cleo", "POST", "/api/loans", { at, days })).json.data;
    const reply = await cell.send("cleo", "PATCH", `/api/loans/${id}`, { at });
    expect(reply.status, reply.text).toBe(200);
    return [reply.json.data.due, reply.json.data.left];
  };
  expect(await lent("2026-01-31T09:30:00Z", "P1D")).toEqual(["2026-02-01T09:30:00.000000Z", "PT23H"]);
  expect(await lent("9999-12-31T09:30:00Z", "P1D")).toEqual([null, "PT23H"]);
  expect(await lent("2026-01-31T09:30:00Z", "PT0S")).toEqual(["2026-01-31T09:30:00.000000Z", null]);
});
