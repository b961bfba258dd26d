// Concurrent writes: another connection holds the row during a request. The rule must judge the row as it is once the
// lock is acquired, not as it was when the request began.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testBlueprint } from "./testing/blueprint.ts";
import { createTestCell, type TestCell, type TestProject } from "./testing/test-cell.ts";

let cell: TestCell;
let project: TestProject;
let bob: string;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(testBlueprint);
  await cell.addUser("ana", project, ["owner", "user"]);
  bob = await cell.addUser("bob", project, ["owner", "user"]);
});
afterAll(() => cell?.close());

async function create(status: string): Promise<string> {
  return (await cell.send("ana", "POST", "/api/listings", { title: "Chair", price: 10, status })).json.data.id;
}

/** Changes the row in a transaction that only commits after the request waits for its lock. */
async function whileLocked(id: string, change: string, request: () => ReturnType<TestCell["send"]>) {
  const client = await cell.pool.connect();
  try {
    await client.query("begin");
    await client.query(`update "${project.names.schema}".listings set ${change} where id = $1`, [id]);
    const reply = request();
    await waitForLock();
    await client.query("commit");
    return await reply;
  } finally {
    client.release();
  }
}

async function waitForLock(): Promise<void> {
  for (let i = 0; i < 200; i++) {
    const { rows } = await cell.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    if (rows.length > 0) return;
    await sleep(5);
  }
  throw new Error("nobody waits for the lock");
}

const audits = (id: string): Promise<Record<string, unknown>[]> =>
  cell.rows(project, "select operation from {schema}.audit_log where record_id = $1 order by id", [id]);

describe("a record that is transferred at the same moment", () => {
  test("can't be updated by its previous owner, and is hidden from those who can't read it", async () => {
    const id = await create("draft");
    const reply = await whileLocked(id, `created_by = '${bob}'`, () =>
      cell.send("ana", "PATCH", `/api/listings/${id}`, { price: 1 }),
    );
    expect(reply.status, reply.text).toBe(404);
    expect(await cell.rows(project, "select price, version from {schema}.listings where id = $1", [id])).toEqual([
      { price: 10, version: 1 },
    ]);
    expect(await audits(id)).toEqual([{ operation: "create" }]);
  });

  test("answers 403 if everybody can read it", async () => {
    const id = await create("active");
    const reply = await whileLocked(id, `created_by = '${bob}'`, () =>
      cell.send("ana", "PATCH", `/api/listings/${id}`, { price: 1 }),
    );
    expect(reply.status, reply.text).toBe(403);
    expect(await audits(id)).toEqual([{ operation: "create" }]);
  });

  test("can't be deleted by its previous owner", async () => {
    const id = await create("active");
    const reply = await whileLocked(id, `created_by = '${bob}'`, () =>
      cell.send("ana", "DELETE", `/api/listings/${id}`),
    );
    expect(reply.status, reply.text).toBe(403);
    expect(await audits(id)).toEqual([{ operation: "create" }]);
  });
});

test("an update builds on what was committed meanwhile", async () => {
  const id = await create("draft");
  const reply = await whileLocked(id, "price = 20, version = version + 1", () =>
    cell.send("ana", "PATCH", `/api/listings/${id}`, { description: "later" }),
  );
  expect(reply.status, reply.text).toBe(200);
  expect(reply.json.data).toMatchObject({ price: 20, description: "later", version: 3 });
});

test("a record that is deleted meanwhile is missing", async () => {
  const id = await create("draft");
  const client = await cell.pool.connect();
  await client.query("begin");
  await client.query(`delete from "${project.names.schema}".listings where id = $1`, [id]);
  const reply = cell.send("ana", "PATCH", `/api/listings/${id}`, { price: 1 });
  await waitForLock();
  await client.query("commit");
  client.release();
  expect((await reply).status).toBe(404);
});

test("parallel updates of one record are all counted", async () => {
  const id = await create("draft");
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, price) => cell.send("ana", "PATCH", `/api/listings/${id}`, { price })),
  );
  expect(replies.map((reply) => reply.status)).toEqual(Array(20).fill(200));
  expect(replies.map((reply) => reply.json.data.version).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 2),
  );
  expect(await audits(id)).toHaveLength(21);
});

test("of parallel creates with one unique value, one succeeds, and the others leave nothing", async () => {
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => cell.send("ana", "POST", "/api/listings", { title: "x", price: 1, code: "ONE" })),
  );
  expect(replies.map((reply) => reply.status).sort()).toEqual([201, ...Array(9).fill(409)]);
  expect(
    await cell.rows(project, "select from {schema}.audit_log where changes->>'code' = 'ONE' and operation = 'create'"),
  ).toHaveLength(1);
});
