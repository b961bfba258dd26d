// Relations from users to the records that refer to them, over HTTP: in filters, expansions and rules, each under its
// own rule.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestCell,
  keyPrincipal,
  type TestCell,
  type TestProject,
  type TestReply,
} from "../../http/testing/test-cell.ts";

const blueprint = `project: press
modules: [auth, users, roles]
users:
  fields: { nickname: string? }
  permissions:
    user: { read: { allow: true, fields: [id, name] } }
entities:
  follow:
    fields:
      follower_id: user_ref as(following) = current_user.id
      followed_id: user_ref as(followers)
      secret: bool = false
    permissions:
      user: { read: secret == false || follower_id == current_user.id, create: true }
      admin: { all: true }
  article:
    fields: { title: string, author_id: user_ref = current_user.id }
    permissions:
      user:
        read: author.followers.exists(f, f.follower_id == current_user.id) || author_id == current_user.id
        create: true
`;

let cell: TestCell;
let project: TestProject;
let ana: string;
let ben: string;
let cem: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(blueprint);
  [ana, ben, cem] = [
    await cell.addUser("ana", project, ["user"]),
    await cell.addUser("ben", project, ["user"]),
    await cell.addUser("cem", project, ["user"]),
  ];
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  for (const [follower, followed, secret] of [
    [ben, ana, false],
    [cem, ana, true],
  ]) {
    const reply = await cell.send("admin", "POST", "/api/follows", {
      follower_id: follower,
      followed_id: followed,
      secret,
    });
    expect(reply.status, reply.text).toBe(201);
  }
  expect((await cell.send("ana", "POST", "/api/articles", { title: "News" })).status).toBe(201);
});
afterAll(() => cell?.close());

type Row = TestReply["json"];

async function list(as: string, path: string): Promise<Row[]> {
  const reply = await cell.send(as, "GET", path);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
}

test("a rule follows it: followers of an author see the author's article", async () => {
  const titles = async (as: string): Promise<unknown> => (await list(as, "/api/articles")).map(({ title }) => title);
  expect([await titles("ben"), await titles("cem"), await titles("ana")]).toEqual([["News"], ["News"], ["News"]]);
  await cell.addUser("dan", project, ["user"]);
  expect(await titles("dan")).toEqual([]);
});

test("an expansion shows what its own rule allows, at the users and through another record", async () => {
  const followers = async (as: string): Promise<Row> =>
    (await list(as, `/v1/users?id=${ana}&expand=followers&fields=id`))[0].followers.map((one: Row) => one.follower_id);
  expect(await followers("ben")).toEqual([ben]);
  expect((await followers("cem")).sort()).toEqual([ben, cem].sort());
  const [article] = await list("ben", "/api/articles?expand=author.followers");
  expect(article.author.followers.map((one: Row) => one.follower_id)).toEqual([ben]);
});

test("a filter through it reveals nothing hidden", async () => {
  const found = async (as: string, follower: string): Promise<unknown> =>
    (await list(as, `/v1/users?followers.follower_id=${follower}`)).map(({ id }) => id);
  expect(await found("ben", ben)).toEqual([ana]);
  expect(await found("ben", cem)).toEqual([]);
  expect(await found("cem", cem)).toEqual([ana]);
});

test("a condition on a name that is a field and a relation can be on both", async () => {
  const count = async (json: object): Promise<number> =>
    (await list("ana", `/api/articles?where=${encodeURIComponent(JSON.stringify(json))}`)).length;
  const found = [
    { created_by: ana },
    { created_by: { eq: ana } },
    { created_by: { in: [ana, ben] } },
    { created_by: { ne: ben, is_null: false } },
    { created_by: { id: ana } },
    { created_by: { name: { is_null: false }, followers: {} } },
    { created_by: { followers: { follower_id: ana } } },
  ];
  expect(await Promise.all(found.map(count))).toEqual([1, 1, 1, 1, 1, 1, 0]);
  expect(await count({ created_by: { nin: [ana] } })).toBe(0);
});
