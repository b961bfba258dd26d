// The size limit of a page also applies to expanded and calculated values, for every caller and route.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { batchHandlers } from "../modules/batch/routes.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { createTestCell, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: large
modules: [auth, users, roles, audit_logs]
entities:
  order:
    fields: { number: string unique, note: text? }
    permissions:
      user: { all: true }
  line:
    fields: { order_id: ref(order), text: text, size: int }
    permissions:
      user: { all: true }
  saying:
    fields:
      text: text
      loud: computed(text + "!")
    permissions:
      user: { all: true }
`;
const BOUND = 1_048_576;

let cell: TestCell;
let project: TestProject;
let large: string;
let small: string;
beforeAll(async () => {
  const scopeOf = (projectId: TestProject["projectId"]) => cell.tenants.forProject({ projectId });
  cell = await createTestCell({ modules: createModuleRoutes(batchHandlers({ scopeOf })) });
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
  const ids: string[] = [];
  for (const [number, lines, chars] of [
    ["large", 10, 300_000],
    ["small", 3, 100],
  ] as const) {
    const { id } = (await cell.send("ana", "POST", "/api/orders", { number })).json.data;
    ids.push(id);
    await cell.rows(
      project,
      `insert into {schema}.lines (id, order_id, text, size)
       select gen_random_uuid(), $1, repeat(n || ' line of text ', $3::int / 14), n from generate_series(1, $2::int) n`,
      [id, lines, chars],
    );
  }
  [large = "", small = ""] = ids;
});
afterAll(() => cell?.close());

const get = (path: string): Promise<TestReply> => cell.send("ana", "GET", path);

function expectRefused(reply: TestReply, words: string): void {
  expect([reply.status, reply.json?.code], reply.text.slice(0, 300)).toEqual([400, "bad_request"]);
  expect(reply.text).toContain(words);
}

describe("a record with expanded records", () => {
  test.each([
    ["one by its id", () => `/api/orders/${large}?expand=lines`],
    ["one by its key", () => "/api/orders/by/number/large?expand=lines"],
    ["one of a list", () => `/api/orders?id=${large}&expand=lines`],
    ["the first of a list", () => "/api/orders?sort=number&expand=lines&limit=1"],
  ])("is refused if it is too large: %s", async (_, path) => {
    for (let i = 0; i < 2; i++) expectRefused(await get(path()), "1 MB");
  });

  test("is shown if it is small enough, or if less is selected", async () => {
    const whole = await get(`/api/orders/${small}?expand=lines`);
    expect([whole.status, whole.json.data.lines.length]).toEqual([200, 3]);
    const fewer = await get(`/api/orders/${large}?expand=lines&expand[lines][limit]=3`);
    expect([fewer.status, fewer.json.data.lines.length]).toEqual([200, 3]);
    const narrow = await get("/api/orders?expand=lines&fields=number,lines.size&sort=number");
    expect(narrow.json.data.map((each: { lines: unknown[] }) => each.lines.length)).toEqual([10, 3]);
  });

  test("is shown if the record itself is larger", async () => {
    const note = "n".repeat(BOUND + 1_000);
    await cell.rows(project, "update {schema}.orders set note = $2 where id = $1", [small, note]);
    expect((await get(`/api/orders/${small}`)).json.data.note.length).toBe(note.length);
    expectRefused(await get(`/api/orders/${small}?expand=lines`), "Choose fewer fields");
    expectRefused(await get(`/api/orders?id=${small}&expand=lines&fields=note,lines.size`), "Choose fewer fields");
    expect((await get(`/api/orders?id=${small}&expand=lines&fields=number,lines.size`)).status).toBe(200);
    await cell.rows(project, "update {schema}.orders set note = null");
  });

  test("rolls back a write whose reply would show it", async () => {
    const reply = await cell.send("ana", "PATCH", `/api/orders/${large}?expand=lines`, { note: "changed" });
    expectRefused(reply, "1 MB");
    const operations = [{ method: "GET", path: `/api/orders/${large}?expand=lines` }];
    expectRefused(await cell.send("ana", "POST", "/v1/batch", { operations }), "1 MB");
    expect((await get(`/api/orders/${large}`)).json.data.note).toBeNull();
  });
});

describe("calculated values", () => {
  test("that are too long are refused", async () => {
    for (const path of ["max(text)", "max(text),min(text)&group_by=order_id", "count&group_by=text"]) {
      expectRefused(await get(`/api/lines/aggregate?select=${path}`), "128 kB");
    }
    await cell.rows(
      project,
      "insert into {schema}.sayings (id, text) values (gen_random_uuid(), repeat('Hear, hear', 20000))",
    );
    expectRefused(await get("/api/sayings/aggregate?select=max(loud)"), "128 kB");
    const some = await get(`/api/lines/aggregate?select=max(text),max(size),count&order_id=${small}`);
    expect([some.status, some.json.data[0]["max(size)"]]).toEqual([200, 3]);
  });

  test("that are too large together are refused, and not cut", async () => {
    await cell.rows(
      project,
      `insert into {schema}.lines (id, order_id, text, size)
       select gen_random_uuid(), $1, repeat('x', 60000) || n, 1000 + n from generate_series(1, 30) n`,
      [small],
    );
    const groups = "/api/lines/aggregate?select=max(text)&group_by=size&size[gt]=1000";
    expectRefused(await get(groups), "1 MB");
    const few = await get(`${groups}&limit=10`);
    expect([few.status, few.json.data.length, few.json.page.has_more]).toEqual([200, 10, true]);
  });
});
