// Many-to-many lists with records that the caller can't read: no reply names them, and writing the list never removes
// them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: hidden-pairs
modules: [auth, users, roles, audit_logs]
roles: { closed: {}, watcher: {} }

entities:
  tag:
    fields: { name: string, is_open: bool = true }
    permissions:
      user: { read: is_open }
      watcher: { read: true }
      admin: { all: true }
  topic:
    soft_delete: true
    fields: { name: string }
    permissions:
      user: { read: true }
      admin: { all: true }
  article:
    soft_delete: true
    fields:
      title: string
      tags: refs(tag)
      topics: refs(topic)
      tag_count: computed(size(tags))
    permissions:
      user: { read: true, create: true, update: size(new.tags) < 4, restore: true }
      closed: { read: true, update: true }
      watcher: { read: true, update: true }
      admin: { all: true }
  comment:
    fields: { article_id: ref(article), text: string }
    permissions:
      user: { read: true }
      admin: { all: true }
`;

let cell: TestCell;
let project: TestProject;
let seen: readonly string[];
let hidden: readonly string[];
let path: string;
let id: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  for (const role of ["closed", "watcher", "admin"]) cell.addCaller(role, project, keyPrincipal(`key_${role}`, [role]));
  seen = [await make("tags", { name: "a" }), await make("tags", { name: "b" }), await make("tags", { name: "c" })];
  hidden = [await make("tags", { name: "h", is_open: false }), await make("tags", { name: "i", is_open: false })];
});
beforeEach(async () => {
  id = await make("articles", { title: "t", tags: [seen[0], hidden[0]] });
  path = `/api/articles/${id}`;
});
afterAll(() => cell?.close());

async function make(plural: string, values: object): Promise<string> {
  const reply = await cell.send("admin", "POST", `/api/${plural}`, values);
  expect(reply.status, reply.text).toBe(201);
  return reply.json.data.id;
}

const patch = (body: object, as = "ana", at = path): Promise<TestReply> => cell.send(as, "PATCH", at, body);
const linked = async (): Promise<unknown> => (await cell.send("watcher", "GET", path)).json.data.tags;

describe("a list", () => {
  test("names only the records that the caller can read, wherever it is shown", async () => {
    await make("comments", { article_id: id, text: "x" });
    const replies = [
      (await cell.send("ana", "GET", path)).json.data,
      (await cell.send("ana", "GET", `${path}?fields=tags`)).json.data,
      (await cell.send("ana", "GET", `/api/articles?id=${id}`)).json.data[0],
      (await cell.send("ana", "GET", `/api/articles?id=${id}&fields=tags`)).json.data[0],
      (await cell.send("ana", "GET", `/api/comments?article_id=${id}&expand=article`)).json.data[0].article,
      (await patch({ title: "other" })).json.data,
      (await patch({})).json.data,
    ];
    for (const { tags } of replies) expect(tags).toEqual([seen[0]]);
    expect((await cell.send("watcher", "GET", path)).json.data.tags).toEqual([seen[0], hidden[0]].sort());
    expect((await cell.send("closed", "GET", path)).json.data.tags).toEqual([]);
    expect((await cell.send("closed", "GET", `/api/articles?id=${id}`)).json.data[0].tags).toEqual([]);
    // A value computed from the list uses all records, like rules do.
    expect(replies[0].tag_count).toBe(2);
  });

  test("names no others after a restore or in a batch of updates", async () => {
    expect((await cell.send("admin", "DELETE", path)).status).toBe(204);
    expect((await cell.send("ana", "POST", `${path}/restore`)).json.data.tags).toEqual([seen[0]]);
    const many = await cell.send("ana", "PATCH", "/api/articles", [{ id, title: "many" }]);
    expect(many.json.data[0].tags).toEqual([seen[0]]);
  });
});

describe("a written list", () => {
  test("can be the list that was read, and leaves the hidden records unchanged", async () => {
    const { tags } = (await cell.send("ana", "GET", path)).json.data;
    const same = await patch({ tags });
    expect([same.status, same.json.data.tags], same.text).toEqual([200, [seen[0]]]);
    expect(await linked()).toEqual([seen[0], hidden[0]].sort());
    const other = await patch({ tags: [seen[1], seen[2]] });
    expect([other.status, other.json.data.tags], other.text).toEqual([200, [seen[1], seen[2]].sort()]);
    expect(await linked()).toEqual([seen[1], seen[2], hidden[0]].sort());
    expect((await patch({ tags: [] })).json.data.tags).toEqual([]);
    expect(await linked()).toEqual([hidden[0]]);
    expect((await patch({ tags: [] }, "closed")).status).toBe(200);
    expect(await linked()).toEqual([hidden[0]]);
    // A caller who sees them can remove them.
    expect((await patch({ tags: [] }, "watcher")).json.data.tags).toEqual([]);
    expect(await linked()).toEqual([]);
  });

  test("gives the same answer for a hidden record in it, a hidden one outside, and a missing one", async () => {
    const sent = [hidden[0], hidden[1], "0199b0f4-0000-7000-8000-000000000000"];
    const replies = await Promise.all(sent.map((one) => patch({ tags: [one] })));
    for (const { status, json } of replies) {
      expect([status, json.errors]).toEqual([422, replies[0]!.json.errors]);
      expect(json.errors[0]).toMatchObject({ path: "/tags", code: "unknown_reference" });
    }
  });

  test("is judged and audited together with the hidden records", async () => {
    const [, two] = [await patch({ tags: [seen[0], seen[1]] }), await patch({ tags: [...seen] })];
    // Three that they see, and one that they don't.
    expect(two.status).toBe(403);
    const audits = await cell.rows(
      project,
      "select changes from {schema}.audit_log where record_id = $1 and operation = 'update'",
      [id],
    );
    expect(audits.map(({ changes }) => changes)).toEqual([
      { tags: [[seen[0], hidden[0]].sort(), [seen[0], seen[1], hidden[0]].sort()] },
    ]);
  });

  test("keeps its links to deleted records, for their restore", async () => {
    const [kept, gone] = [await make("topics", { name: "kept" }), await make("topics", { name: "gone" })];
    await patch({ topics: [kept, gone] });
    expect((await cell.send("admin", "DELETE", `/api/topics/${gone}`)).status).toBe(204);
    const { topics } = (await cell.send("ana", "GET", path)).json.data;
    expect(topics).toEqual([kept]);
    expect((await patch({ topics })).json.data.topics).toEqual([kept]);
    expect((await cell.send("admin", "POST", `/api/topics/${gone}/restore`)).status).toBe(200);
    expect((await cell.send("ana", "GET", path)).json.data.topics).toEqual([kept, gone].sort());
  });
});
