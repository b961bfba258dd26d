// `audit: all`: nobody sees a record without a permanent audit line, even if the request changes nothing, is a dry run,
// or repeats an earlier one.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { batchHandlers } from "../modules/batch/routes.ts";
import { createModuleRoutes } from "../modules/module-routes.ts";
import { createTestCell, type TestCell, type TestProject, type TestReply } from "./testing/test-cell.ts";

const blueprint = `
project: clinic
modules: [auth, users, roles, audit_logs]
entities:
  patient:
    audit: all
    fields:
      name: string
      number: string unique
      state: enum[open, closed] = open
    transitions:
      state: { initial: open, close: { from: open, to: closed, roles: [user] } }
    permissions:
      user: { all: true }
  note:
    fields: { patient_id: ref(patient), text: string }
    permissions:
      user: { all: true }
`;

let cell: TestCell;
let project: TestProject;
let id: string;
let path: string;
beforeAll(async () => {
  const scopeOf = (projectId: TestProject["projectId"]) => cell.tenants.forProject({ projectId });
  cell = await createTestCell({ modules: createModuleRoutes(batchHandlers({ scopeOf })) });
  project = await cell.addProject(blueprint);
  await cell.addUser("ana", project, ["user"]);
});
beforeEach(async () => {
  const made = await cell.send("ana", "POST", "/api/patients", { name: "Ida", number: `n${Math.random()}` });
  expect(made.status, made.text).toBe(201);
  id = made.json.data.id;
  path = `/api/patients/${id}`;
  await cell.rows(project, "truncate {schema}.audit_log, {schema}.idempotency__replies");
});
afterAll(() => cell?.close());

async function lines(): Promise<string[]> {
  const rows = await cell.rows(project, "select operation, entity, record_id from {schema}.audit_log order by id");
  return rows.map((row) => `${row["operation"]} ${row["entity"]} ${row["record_id"] === id ? "it" : row["record_id"]}`);
}

const send = (method: string, target: string, body?: unknown, key?: string): Promise<TestReply> =>
  cell.send("ana", method, target, body, key === undefined ? {} : { "idempotency-key": key });

/** Expects that the reply shows the record, and that exactly these lines were written. */
async function expectShown(reply: TestReply, expected: readonly string[]): Promise<void> {
  expect(reply.status, reply.text).toBe(200);
  expect(reply.text).toContain("Ida");
  expect(await lines()).toEqual(expected);
}

const read = "read patient it";
const get = (): object => ({ method: "GET", path });

describe("a request that changes nothing", () => {
  test("is audited as a read", async () => {
    await expectShown(await send("PATCH", path, {}), [read]);
    await expectShown(await send("PATCH", path, {}, "k"), [read, read]);
  });

  test("is not audited if it is refused", async () => {
    const stale = await cell.send("ana", "PATCH", path, {}, { "if-match": '"9-a"' });
    expect([stale.status, await lines()]).toEqual([412, []]);
  });
});

describe("a dry run", () => {
  test.each([
    ["an update", "PATCH", "", { number: "other" }],
    ["an update of nothing", "PATCH", "", {}],
    ["an update that shows related records", "PATCH", "&expand=notes", { number: "other" }],
    ["a transition", "POST /transitions/close", "", undefined],
  ])("of %s is audited as a read", async (_, verb, query, body) => {
    const [method = "", more = ""] = verb.split(" ");
    const reply = await send(method, `${path}${more}?dry_run=true${query}`, body);
    expect(reply.headers.get("plinth-dry-run")).toBe("true");
    await expectShown(reply, [read]);
  });

  test("of a batch is audited for its reads, and leaves nothing else", async () => {
    const created = { method: "POST", path: "/api/patients", body: { name: "New", number: "new" } };
    const reply = await send("POST", "/v1/batch", { operations: [get(), created], dry_run: true });
    await expectShown(reply, [read]);
    expect(await cell.rows(project, "select from {schema}.patients where name = 'New'")).toEqual([]);
  });

  test("of a batch names the records within other records", async () => {
    const note = await send("POST", "/api/notes", { patient_id: id, text: "a" });
    await cell.rows(project, "truncate {schema}.audit_log");
    const operations = [{ method: "GET", path: `/api/notes/${note.json.data.id}?expand=patient` }];
    const reply = await send("POST", "/v1/batch", { operations, dry_run: true });
    expect(reply.text).toContain("Ida");
    expect(await cell.rows(project, "select operation, entity, changes from {schema}.audit_log")).toEqual([
      { operation: "expand", entity: "patient", changes: { ids: [id] } },
    ]);
  });

  test("of a list of updates is audited for each", async () => {
    await expectShown(await send("PATCH", "/api/patients?dry_run=true", [{ id, number: "other" }]), [read]);
  });

  test("of a create and of a delete shows no existing record", async () => {
    expect((await send("POST", "/api/patients?dry_run=true", { name: "New", number: "new" })).status).toBe(201);
    expect((await send("DELETE", `${path}?dry_run=true`)).status).toBe(204);
    expect(await lines()).toEqual([]);
  });
});

describe("a repetition", () => {
  test("of a batch of reads reads again", async () => {
    for (const expected of [[read], [read, read]]) {
      const reply = await send("POST", "/v1/batch", { operations: [get()] }, "reads");
      expect(reply.headers.get("idempotency-replayed")).toBeNull();
      await expectShown(reply, expected);
    }
    expect(await cell.rows(project, "select from {schema}.idempotency__replies")).toEqual([]);
  });

  test("of a batch with writes is audited for everything that it shows again", async () => {
    const operations = [get(), { method: "POST", path: "/api/notes", body: { patient_id: id, text: "well" } }];
    await expectShown(await send("POST", "/v1/batch", { operations }, "mixed"), [
      read,
      expect.stringMatching("create note"),
    ]);
    const again = await send("POST", "/v1/batch", { operations }, "mixed");
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await expectShown(again, [read, expect.stringMatching("create note"), read]);
  });

  test("of a write is audited as a read of the record", async () => {
    await expectShown(await send("PATCH", path, { number: "x1" }, "update"), ["update patient it"]);
    const again = await send("PATCH", path, { number: "x1" }, "update");
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await expectShown(again, ["update patient it", read]);
    await expectShown(await send("PATCH", path, { number: "x1" }, "update"), ["update patient it", read, read]);
  });
});
