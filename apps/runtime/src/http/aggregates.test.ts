// Aggregates: counts, sums and other functions over the records that the caller can read, by groups. Hidden values are
// never used.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publishing } from "./testing/publishing.ts";
import { createTestCell, keyPrincipal, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(publishing);
  const ana = await cell.addUser("ana", project, ["owner", "user"]);
  const ben = await cell.addUser("ben", project, ["owner", "user"]);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.addCaller("pub", project, keyPrincipal("key_pub", []));
  await cell.rows(project, `update {schema}.users set username = case when id = $1 then 'Ana' else 'Ben' end`, [ana]);
  await cell.rows(
    project,
    `insert into {schema}.articles (id, title, slug, status, price, note, author_id, created_at)
     select gen_random_uuid(), 'T' || n, 't-' || n, (array['draft', 'published', 'archived'])[n % 3 + 1],
       case when n % 4 = 0 then null else n * 1.5 end, case when n % 2 = 0 then 'n' || n % 4 end,
       case when n % 2 = 0 then $1::uuid else $2::uuid end, timestamptz '2024-01-31 23:30:00Z' + (n % 4) * interval '1 hour'
     from generate_series(1, 12) n`,
    [ana, ben],
  );
});
afterAll(() => cell?.close());

const get = (as: string, query: string): Promise<TestReply> => cell.send(as, "GET", `/api/articles/aggregate?${query}`);

async function groups(as: string, query: string): Promise<TestReply["json"]> {
  const reply = await get(as, query);
  expect(reply.status, reply.text).toBe(200);
  return reply.json.data;
}

test("calculate over all records, or over groups", async () => {
  expect(await groups("admin", "select=count,count(price),sum(price),avg(price),min(price),max(price)")).toEqual([
    {
      count: 12,
      "count(price)": 9,
      "sum(price)": "81.00",
      "avg(price)": "9",
      "min(price)": "1.50",
      "max(price)": "16.50",
    },
  ]);
  expect(await groups("admin", "select=count,sum(price)&group_by=status")).toEqual([
    { status: "draft", count: 4, "sum(price)": "27.00" },
    { status: "published", count: 4, "sum(price)": "27.00" },
    { status: "archived", count: 4, "sum(price)": "27.00" },
  ]);
  expect(await groups("admin", "select=count&title=none")).toEqual([{ count: 0 }]);
  expect(await groups("admin", "select=count&group_by=status&title=none")).toEqual([]);
  expect(await groups("admin", "select=count,count_distinct(author_id),min(created_at)&price[gt]=14")).toEqual([
    { count: 2, "count_distinct(author_id)": 2, "min(created_at)": "2024-02-01T01:30:00.000000Z" },
  ]);
});

test("group by parts of times, by related records and by several fields", async () => {
  expect(await groups("admin", "select=count&group_by=created_at.month")).toEqual([
    { "created_at.month": "2024-01-01", count: 3 },
    { "created_at.month": "2024-02-01", count: 9 },
  ]);
  expect(await groups("admin", "select=count&group_by=created_at.hour&limit=1&sort=-count")).toEqual([
    { "created_at.hour": "2024-01-31T23:00:00Z", count: 3 },
  ]);
  expect(await groups("ana", "select=count&group_by=author.username&sort=-author.username")).toEqual([
    { "author.username": "Ben", count: 2 },
    { "author.username": "Ana", count: 6 },
  ]);
  expect((await groups("admin", "select=count&group_by=status,author_id")).length).toBe(6);
});

test("without values, the groups are the distinct values, up to a limit", async () => {
  expect(await groups("admin", "group_by=status&sort=-status")).toEqual([
    { status: "archived" },
    { status: "published" },
    { status: "draft" },
  ]);
  const reply = await get("admin", "group_by=title&limit=5");
  expect([reply.json.data.length, reply.json.page]).toEqual([5, { has_more: true }]);
  expect((await get("admin", "group_by=status&limit=3")).json.page).toEqual({ has_more: false });
});

test("see no more than lists do", async () => {
  expect(await groups("pub", "select=count&group_by=status")).toEqual([{ status: "published", count: 4 }]);
  // A note is only shown to its author.
  expect(await groups("ana", "select=count,count(note),max(note)")).toEqual([
    { count: 8, "count(note)": 6, "max(note)": "n2" },
  ]);
  expect(await groups("ben", "select=count&group_by=note")).toEqual([{ note: null, count: 8 }]);
  for (const query of ["select=max(note)", "group_by=note", "select=count&note=n2", "group_by=editor_id"]) {
    expect((await get("pub", query)).status, query).toBe(403);
  }
  expect((await get("pub", "group_by=author.username")).status).toBe(403);
  expect((await cell.send("pub", "GET", "/api/secrets/aggregate?select=count")).status).toBe(403);
});

describe("invalid aggregates are refused:", () => {
  test.each([
    ["", "required"],
    ["select=", "unknown_function"],
    ["select=total", "unknown_function"],
    ["select=sum(titel)", "unknown_parameter"],
    ["select=sum(title)", "not_allowed"],
    ["select=max(labels)", "not_allowed"],
    ["select=sum(comments.likes)", "not_allowed"],
    ["select=count,count", "repeated"],
    ["group_by=labels", "not_allowed"],
    ["group_by=tags.name", "not_allowed"],
    ["group_by=title.month", "not_allowed"],
    ["group_by=status,title,slug,price,author_id", "too_many"],
    ["select=count&sort=price", "unknown_field"],
    ["select=count&limit=0", "out_of_range"],
    ["select=count&cursor=x", "unknown_parameter"],
    ["select=count&expand=author", "unknown_parameter"],
  ])("%s", async (query, code) => {
    const reply = await get("admin", query);
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.errors[0].code).toBe(code);
  });
});
