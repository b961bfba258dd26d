// Calculations over users: only users that a list would show are counted, and nobody can calculate with a field that
// they can't read.
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
roles: { support: {} }
users:
  fields:
    team: enum[north, south]?
    listed: bool = true
    birthday: date? pii
    mood: string? internal
    boss_id: user_ref?
  permissions:
    user: { read: { allow: listed, fields: [id, name, team, boss_id] } }
    support: { read: { allow: true, fields: [id, birthday] } }
entities:
  note:
    fields: { text: string, author_id: user_ref as(notes) = current_user.id }
    permissions:
      user: { read: true, create: true, update: author_id == current_user.id }
`;

let cell: TestCell;
let project: TestProject;
let ana: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  const others = await cell.addProject("project: other\nmodules: [auth]\n");
  const users = ["ana", "ben", "cem", "dan"];
  const ids = [];
  for (const name of users) ids.push(await cell.addUser(name, project, ["owner", "user"]));
  [ana = ""] = ids;
  await cell.addUser("sue", project, ["support"]);
  await cell.addUser("eve", others, ["owner", "user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  const set = (name: string, values: string): Promise<unknown> =>
    cell.rows(project, `update {schema}.users set ${values} where name = $1`, [name]);
  await set("ana", "team = 'north', birthday = '2001-02-03'");
  await set("ben", `team = 'south', boss_id = '${ana}'`);
  await set("cem", "team = 'south'");
  await set("dan", "team = 'north', listed = false, birthday = '1999-09-09'");
  await set("sue", "listed = false");
});
afterAll(() => cell?.close());

const calculate = (as: string | null, query: string): Promise<TestReply> =>
  cell.send(as, "GET", `/v1/users/aggregate?${query}`);

async function groups(as: string, query: string): Promise<TestReply["json"]> {
  const reply = await calculate(as, query);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
}

test("an admin calculates over all users", async () => {
  expect(await groups("admin", "select=count")).toEqual([{ count: 5 }]);
  expect(await groups("admin", "select=count,min(birthday)&group_by=team")).toEqual([
    { team: "north", count: 2, "min(birthday)": "1999-09-09" },
    { team: "south", count: 2, "min(birthday)": null },
    { team: null, count: 1, "min(birthday)": null },
  ]);
  expect(await groups("admin", "select=count&created_at[gt]=2100-01-01T00:00:00Z")).toEqual([{ count: 0 }]);
  expect(await groups("admin", "group_by=boss.name&sort=-boss.name")).toEqual([
    { "boss.name": null },
    { "boss.name": "ana" },
  ]);
});

test("others calculate over the users that a list shows them", async () => {
  expect(await groups("ben", "select=count&group_by=team")).toEqual([
    { team: "north", count: 1 },
    { team: "south", count: 2 },
  ]);
  // Dan is not listed, but sees himself.
  expect(await groups("dan", "select=count")).toEqual([{ count: 4 }]);
  const list = await cell.send("ben", "GET", "/v1/users?count=exact");
  expect(list.json.page.count).toBe(3);
});

test("a field that is hidden in a record counts as null there", async () => {
  expect(await groups("ana", "select=count(birthday),max(birthday)")).toEqual([
    { "count(birthday)": 1, "max(birthday)": "2001-02-03" },
  ]);
  expect(await groups("ben", "select=count(birthday),max(email)")).toEqual([
    { "count(birthday)": 0, "max(email)": "ben@example.com" },
  ]);
  expect(await groups("ben", "select=count&birthday[is_null]=false")).toEqual([{ count: 0 }]);
});

test("a field that can't be read at all is refused", async () => {
  for (const query of ["select=max(email)", "group_by=team", "select=count&name=dan"]) {
    const reply = await calculate("sue", query);
    expect([reply.status, reply.json.errors[0].code], query).toEqual([403, "not_readable"]);
  }
  expect(await groups("sue", "select=count,min(birthday)")).toEqual([{ count: 5, "min(birthday)": "1999-09-09" }]);
  const unknown = await calculate("admin", "select=max(password_hash)");
  expect([unknown.status, unknown.json.code]).toEqual([400, "unknown_parameter"]);
  expect((await calculate("admin", "select=max(mood)")).status).toBe(400);
});

test("nobody calculates without a credential, or with a key that can't read users", async () => {
  expect((await calculate(null, "select=count")).status).toBe(401);
  const refused = await calculate("pub", "select=count");
  expect([refused.status, refused.json.code]).toEqual([403, "forbidden"]);
  // A user of another project sees its own users.
  expect(await groups("eve", "select=count")).toEqual([{ count: 1 }]);
});

test("invalid aggregates are refused", async () => {
  for (const query of ["", "select=total", "select=sum(name)", "group_by=roles", "select=count&expand=boss"]) {
    expect((await calculate("admin", query)).status, query).toBe(400);
  }
  expect((await cell.send("admin", "POST", "/v1/users/aggregate", {})).status).toBe(405);
});
