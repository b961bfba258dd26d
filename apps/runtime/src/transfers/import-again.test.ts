// A second import of a source: records with the same values are found, others are refused, and new rows are added. What a dry run
// says agrees with it.
import { createHash, randomUUID } from "node:crypto";
import type { BatchBody, BatchOutcome } from "@plinth/bundle/cell";
import { type BulkScope, createBulkScope, createPool } from "@plinth/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestCell, type TestCell, type TestProject } from "../http/testing/test-cell.ts";
import { closeImport, findImport, openImport } from "./import-ledger.ts";
import { takeBatch } from "./take-batch.ts";

const SHELF = `project: shelf
modules: [auth, users, roles]
entities:
  jar:
    fields: { code: string unique, size: int?, next: ref(jar)? }
    permissions: { admin: { all: true } }
`;
const SOURCE = "c".repeat(64);

let cell: TestCell;
let pool: Pool;
let bulk: BulkScope;
let project: TestProject;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(SHELF);
  const connectionString = String((cell.pool.options as { connectionString?: string }).connectionString);
  pool = createPool({ connectionString, max: 2, applicationName: "imports under test" });
  bulk = createBulkScope({ pool, places: 2 });
  await cell.pool.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, 'shelf') ON CONFLICT DO NOTHING", [
    project.projectId,
  ]);
}, 60_000);

afterAll(async () => {
  await pool?.end();
  await cell?.close();
});

type Row = readonly string[];

/** As a source computes it (canonical.ts). */
function hashOf(row: Row): string {
  const md5 = createHash("md5")
    .update(`(${row.join(",")})`)
    .digest("hex");
  return String(BigInt(`0x${md5.slice(0, 15)}`));
}

function take(rows: readonly Row[], more: Partial<BatchBody> = {}): Promise<BatchOutcome> {
  const batch: BatchBody = {
    source: SOURCE,
    step: { name: "jars", kind: "records", entity: "jar", fields: ["id", "code", "size"] },
    after: null,
    last: String(rows.length),
    count: rows.length,
    rows: rows.map((row, at) => `${[at + 1, hashOf(row), ...row].join("\t")}\n`).join(""),
    organization: null,
    dry: false,
    pending: ["jar"],
    ...more,
  };
  return takeBatch(bulk, project.release, batch, { email: "ana@example.com", requestId: randomUUID() });
}

const open = () => openImport(cell.pool, project.projectId, { source: SOURCE, label: "a source" }, "ana@example.com");
const close = async () => {
  const client = await cell.pool.connect();
  await closeImport(client, { projectId: project.projectId, source: SOURCE });
  client.release();
};
const known = () => findImport(cell.pool, { projectId: project.projectId, source: SOURCE });

it("finds the same records, refuses changed ones, and adds new ones", async () => {
  const rows = ["a", "b", "c"].map((code, at): Row => [randomUUID(), code, String(at)]);
  const [first = [], second = [], third = []] = rows;
  expect(await known()).toBeNull();
  const { salt } = await open();
  expect(await take(rows)).toMatchObject({ accepted: 3, refused: 0 });
  expect(await known()).toMatchObject({ salt, finished: false, steps: [{ name: "jars", lastKey: "3", read: 3 }] });
  await close();
  expect(await known()).toMatchObject({ salt, finished: true, steps: [{ lastKey: null }] });

  expect(await take(rows, { dry: true })).toMatchObject({ accepted: 3, refused: 0 });
  expect((await open()).salt).toBe(salt);
  const { state } = await take(rows);
  expect(state).toMatchObject({ accepted: 3, refused: 0, checksum: state.sentChecksum });
  await close();

  await cell.rows(project, `UPDATE {schema}.jars SET size = 7 WHERE code = 'b' RETURNING id`);
  const more: readonly Row[] = [first, second, third, [randomUUID(), "d", "4"], [randomUUID(), "a", "5"]];
  const refusals = [
    { key: "2", field: "id", code: "exists" },
    { key: "5", field: "code", code: "taken" },
  ];
  expect(await take(more, { dry: true })).toMatchObject({ accepted: 3, refusals });
  await open();
  const again = await take(more);
  expect(again).toMatchObject({ accepted: 3, refusals });
  expect(BigInt(again.state.sentChecksum) - BigInt(again.state.refusedChecksum)).toBe(BigInt(again.state.checksum));
  const stored = await cell.rows(project, "SELECT code, size FROM {schema}.jars ORDER BY code");
  expect(stored).toEqual([
    { code: "a", size: 0 },
    { code: "b", size: 7 },
    { code: "c", size: 2 },
    { code: "d", size: 4 },
  ]);
});

it("sets a reference again, but doesn't replace another one", async () => {
  const jars = await cell.rows(project, "SELECT id FROM {schema}.jars ORDER BY code");
  const [first = "", second = "", third = ""] = jars.map(({ id }) => String(id));
  await open();
  const step: BatchBody["step"] = { name: "next", kind: "fill", entity: "jar", fields: ["id", "next"] };
  const pairs: readonly Row[] = [
    [first, second],
    [second, third],
  ];
  expect(await take(pairs, { step })).toMatchObject({ accepted: 2, refused: 0 });
  await close();
  await open();
  expect(await take(pairs, { step })).toMatchObject({ accepted: 2, refused: 0 });
  await close();
  await cell.rows(project, `UPDATE {schema}.jars SET next = id WHERE id = '${first}' RETURNING id`);
  await open();
  const refusals = [{ key: "1", field: "next", code: "exists" }];
  expect(await take(pairs, { step })).toMatchObject({ accepted: 1, refusals });
  await close();
  const [stored] = await cell.rows(project, `SELECT next FROM {schema}.jars WHERE id = '${first}'`);
  expect(stored).toEqual({ next: first });
});
