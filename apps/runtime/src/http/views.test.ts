// Views: each shows the records that meet its condition and that the caller can read, in its own order.
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = `
project: news
modules: [auth, users, roles, audit_logs]

entities:
  writer:
    fields:
      name: string
      account_id: user_ref = current_user.id
      followers: refs(writer) as(followed)
    permissions:
      admin: { all: true }
      user: { read: true, create: true }

  article:
    fields:
      title: string
      rank: int = 0
      draft: bool = false
      writer_id: ref(writer)
    views:
      top: { where: rank > 1, sort: [-rank, title], limit: 2 }
      all_of_them: {}
    permissions:
      admin: { all: true }
      user: { read: "!draft" }
      public: { read: { allow: "!draft", fields: [title] } }

views:
  feed:
    of: article
    where: writer.followers.exists(f, f.account_id == current_user.id)
    sort: rank
`;

let cell: TestCell;
let project: TestProject;

async function make(plural: string, values: object, as = "adminkey"): Promise<string> {
  const reply = await cell.send(as, "POST", `/v1/resources/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  await cell.addUser("ben", project, ["user"]);
  cell.addCaller("adminkey", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("anybody", project, keyPrincipal("key_any", ["public"]));
  const ana = await make("writers", { name: "Ana" }, "ana");
  const followed = await make("writers", { name: "Cy", followers: [ana] }, "ben");
  const other = await make("writers", { name: "Di" }, "ben");
  const write = (title: string, rank: number, writer_id: string, draft = false): Promise<string> =>
    make("articles", { title, rank, writer_id, draft });
  await write("d", 3, followed);
  await write("c", 1, followed);
  await write("b", 3, other);
  await write("a", 5, other);
  await write("hidden", 9, followed, true);
});
afterAll(() => cell?.close());

async function titles(as: string, path: string): Promise<readonly string[]> {
  const reply = await cell.send(as, "GET", path);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data.map(({ title }: { readonly title: string }) => title);
}

test("each record still by the read rule, under both names", async () => {
  for (const prefix of ["/api", "/v1/resources"]) {
    expect(await titles("ana", `${prefix}/articles/feed`)).toEqual(["c", "d"]);
    expect(await titles("ben", `${prefix}/articles/feed`)).toEqual([]);
  }
  expect((await titles("ana", "/api/articles/all_of_them")).toSorted()).toEqual(["a", "b", "c", "d"]);
  expect((await cell.send("ana", "GET", "/api/articles/none")).status).toBe(404);
});

test("in its order, page by page", async () => {
  const first = await cell.send("ana", "GET", "/api/articles/top");
  expect(first.json.data.map(({ title }: { title: string }) => title)).toEqual(["a", "b"]);
  const cursor = encodeURIComponent(first.json.page.next_cursor);
  expect(await titles("ana", `/api/articles/top?cursor=${cursor}`)).toEqual(["d"]);
  const elsewhere = await cell.send("ana", "GET", `/api/articles?sort=-rank,title&limit=2&cursor=${cursor}`);
  expect([elsewhere.status, elsewhere.json.code]).toEqual([400, "invalid_cursor"]);
  expect(await titles("ana", "/api/articles/top?sort=title&limit=3")).toEqual(["a", "b", "d"]);
  expect(await titles("ana", "/api/articles/top?rank=3")).toEqual(["b", "d"]);
});

test("no order reveals what the caller can't read", async () => {
  const reply = await cell.send("anybody", "GET", "/api/articles/top?limit=10");
  expect(reply.json.data).toEqual([
    { id: expect.any(String), title: "a" },
    { id: expect.any(String), title: "b" },
    { id: expect.any(String), title: "d" },
  ]);
});

test("a view can only be read", async () => {
  expect((await cell.send("adminkey", "POST", "/api/articles/top", { title: "x" })).status).toBe(405);
});
