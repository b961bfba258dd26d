// Users can be read like the records of entities: lists with conditions, order, fields, related records, counts and
// pages; single users with fields, related records and their version; and changes as a dry run, for one version or with
// an idempotency key, and with records that refer to the user.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestCell,
  keyPrincipal,
  type TestCell,
  type TestProject,
  type TestReply,
} from "../../http/testing/test-cell.ts";

const blueprint = `project: chat
modules: [auth, users, roles]
users:
  fields:
    team: enum[south, north]?
    labels: list<string>?
    meta: json?
    boss_id: user_ref?
  permissions:
    user: { read: true }
entities:
  note:
    fields: { text: string, author_id: user_ref as(notes) = current_user.id }
    permissions:
      user: { read: true, create: true, update: author_id == current_user.id }
`;

const names = ["ana", "ben", "cem", "dan", "eve"];
let cell: TestCell;
let project: TestProject;
let ids: ReadonlyMap<string, string>;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  const made = new Map<string, string>();
  for (const name of names) made.set(name, await cell.addUser(name, project, ["owner", "user"]));
  ids = made;
  const set = async (name: string, changes: object): Promise<void> => {
    const reply = await cell.send("admin", "PATCH", `/v1/users/${ids.get(name)}`, changes);
    expect(reply.status, reply.text).toBe(200);
  };
  await set("ana", { team: "north", labels: ["new"], meta: { seat: { row: 3 } } });
  await set("ben", { team: "south", boss_id: ids.get("ana") });
  await set("cem", { team: "north", boss_id: ids.get("ana") });
  await set("dan", { boss_id: ids.get("ben") });
  for (const text of ["one", "two"]) await cell.send("ana", "POST", "/api/notes", { text });
});
afterAll(() => cell?.close());

const get = (query: string, as = "eve"): Promise<TestReply> => cell.send(as, "GET", `/v1/users?${query}`);
const named = ({ json }: TestReply): readonly string[] => json.data.map(({ name }: { name: string }) => name);

test.each([
  ["a field", "team=north&sort=name", ["ana", "cem"]],
  ["operators", "name[gt]=b&name[lt]=d&sort=name", ["ben", "cem"]],
  ["a text in any case", "name[icontains]=AN&sort=-name", ["dan", "ana"]],
  ["a member of a list", "labels[has]=new", ["ana"]],
  ["a path in JSON", "meta.seat.row=3", ["ana"]],
  ["a user that is referred to", "boss.name=ana&sort=name", ["ben", "cem"]],
  ["two steps on", "boss.boss.name=ana", ["dan"]],
  ["records that refer to the user", "notes.text=two", ["ana"]],
  [
    "`where`",
    "where=%7B%22or%22:%5B%7B%22team%22:null%7D,%7B%22notes%22:%7B%22text%22:%22one%22%7D%7D%5D%7D&sort=name",
    ["ana", "dan", "eve"],
  ],
  ["choices in their order", "sort=team,name", ["ben", "ana", "cem", "dan", "eve"]],
  ["an order by another user", "sort=boss.name,name&team[is_null]=false", ["ben", "cem", "ana"]],
])("a list takes %s", async (_, query, expected) => {
  const reply = await get(query);
  expect(reply.status, reply.text).toBe(200);
  expect(named(reply)).toEqual(expected);
});

test("a list shows the selected fields and related records", async () => {
  const reply = await get(
    "name=ben&fields=name,boss.name,boss.notes.text&expand=boss.notes&expand[boss.notes][sort]=text",
  );
  expect(reply.json.data).toEqual([{ name: "ben", boss: { name: "ana", notes: [{ text: "one" }, { text: "two" }] } }]);
});

test("a list is counted, and read in pages in both directions", async () => {
  const first = await get("sort=name&limit=2&count=exact");
  expect([named(first), first.json.page.count]).toEqual([["ana", "ben"], 5]);
  const second = await get(`sort=name&limit=2&cursor=${first.json.page.next_cursor}`);
  expect(named(second)).toEqual(["cem", "dan"]);
  const back = await get(`sort=name&limit=2&cursor=${second.json.page.prev_cursor}`);
  expect(named(back)).toEqual(["ana", "ben"]);
  const other = await get(`sort=-name&limit=2&cursor=${first.json.page.next_cursor}`);
  expect([other.status, other.json.code]).toEqual([400, "invalid_cursor"]);
});

test("a user is read with fields and related records, and is not sent again if unchanged", async () => {
  const path = `/v1/users/${ids.get("ben")}`;
  const reply = await cell.send("eve", "GET", `${path}?fields=name,boss.name&expand=boss`);
  expect(reply.json.data).toEqual({ name: "ben", boss: { name: "ana" } });
  const etag = (await cell.send("eve", "GET", path)).headers.get("etag") ?? "";
  expect((await cell.send("eve", "GET", path, undefined, { "if-none-match": etag })).status).toBe(304);
});

test("a change supports dry runs, versions, idempotency keys and selected fields", async () => {
  const path = `/v1/users/${ids.get("eve")}`;
  const change = (query: string, body: object, headers = {}): Promise<TestReply> =>
    cell.send("eve", "PATCH", `${path}${query}`, body, headers);
  const tried = await change("?dry_run=true&fields=name", { name: "Eva" });
  expect([tried.status, tried.json.data, tried.headers.get("plinth-dry-run")]).toEqual([200, { name: "Eva" }, "true"]);
  const stale = await change("", { name: "Eva" }, { "if-match": '"7-x"' });
  expect(stale.status).toBe(412);
  for (const replayed of [null, "true"]) {
    const made = await change("", { team: "south" }, { "idempotency-key": "once" });
    expect([made.json.data.version, made.headers.get("idempotency-replayed")]).toEqual([2, replayed]);
  }
  const both = await change("?fields=name,notes.text&expand=notes", { notes: { create: [{ text: "three" }] } });
  expect(both.json.data).toEqual({ name: "eve", notes: [{ text: "three" }] });
});
