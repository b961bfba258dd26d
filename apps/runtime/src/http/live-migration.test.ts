// A replica that still serves the previous release: a request that the new schema refuses is tried again under the new
// release. If that refuses it too, the caller gets its answer, never a 500.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestCell, keyPrincipal, type TestCell, type TestProject } from "./testing/test-cell.ts";

const blueprint = (fields: string, more = ""): string => `
project: live
entities:
  item:
    fields:
${fields}
${more}
    permissions:
      admin: { all: true }
`;
const before = blueprint("      title: string\n      worn: string?\n      size: int?");

let cell: TestCell;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
});
afterAll(() => cell?.close());
beforeEach(async () => {
  project = await cell.addProject(before);
  cell.addCaller("admin", project, keyPrincipal("key_admin", ["admin"]));
  cell.reloads.length = 0;
});

const create = (values: object): ReturnType<TestCell["send"]> => cell.send("admin", "POST", "/api/items", values);
const table = (sql: string): Promise<unknown> => cell.rows(project, `alter table {schema}.items ${sql}`);

test("a column that is gone, or has another type, causes one retry", async () => {
  const { id } = (await create({ title: "a", worn: "x", size: 1 })).json.data;
  await cell.publish(project, blueprint("      title: string\n      size: string?"), { migrate: false });
  await table("drop column worn, alter column size type text using size::text");
  const read = await cell.send("admin", "GET", `/api/items/${id}`);
  expect(read.status, read.text).toBe(200);
  expect(read.json.data).toMatchObject({ title: "a", size: "1" });
  expect(read.json.data).not.toHaveProperty("worn");
  expect(cell.reloads).toEqual([project.projectId]);
  expect((await cell.send("admin", "GET", "/api/items")).status).toBe(200);
  expect(cell.reloads).toHaveLength(1);
});

test("a write with a column that is gone is repeated once under the new release", async () => {
  await cell.publish(project, blueprint("      title: string\n      size: int?"), { migrate: false });
  await table("drop column worn");
  const reply = await create({ title: "b", worn: "x" });
  expect([reply.status, reply.json.errors?.[0]?.path], reply.text).toEqual([422, "/worn"]);
  expect(await cell.rows(project, "select 1 from {schema}.items")).toEqual([]);
});

test("a value that only the new release requires is a 422, and one that it generates is generated", async () => {
  await cell.publish(project, blueprint("      title: string\n      size: int?\n      kind: enum[none, some] = none"), {
    migrate: false,
  });
  await table("add column kind text not null");
  const filled = await create({ title: "c" });
  expect([filled.status, filled.json.data?.kind], filled.text).toEqual([201, "none"]);
  await cell.publish(project, blueprint("      title: string\n      need: string"), { migrate: false });
  await table("add column need text, drop column kind");
  const reply = await create({ title: "d" });
  expect([reply.status, reply.json.errors?.[0]?.path], reply.text).toEqual([422, "/need"]);
});

test("a constraint that the old release doesn't know is a 409 or a 422", async () => {
  await create({ title: "taken" });
  await table("add constraint items__title__new_key unique (title)");
  const taken = await create({ title: "taken" });
  expect([taken.status, taken.json.code], taken.text).toEqual([409, "unique_violation"]);
  await table("add constraint items__size__new check (size > 0)");
  const small = await create({ title: "e", size: -1 });
  expect([small.status, small.json.code], small.text).toEqual([422, "validation_failed"]);
  expect(cell.reloads.length).toBeGreaterThan(0);
});
