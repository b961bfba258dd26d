// Batches that our own command never sends: an impossible step is refused as the sender's mistake, and users that the API would not
// have created are refused.
import { randomUUID } from "node:crypto";
import type { BatchBody } from "@plinth/bundle/cell";
import { type BulkScope, createBulkScope, createPool } from "@plinth/postgres";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestCell, type TestCell, type TestProject } from "../http/testing/test-cell.ts";
import { openImport } from "./import-ledger.ts";
import { takeBatch } from "./take-batch.ts";

const DESK = `project: desk
modules: [auth, users, roles]
roles: { clerk: {} }
entities:
  ticket:
    fields: { title: text, assignee: user_ref? }
    permissions: { admin: { all: true }, clerk: { read: true } }
`;
const SOURCE = "a".repeat(64);

let cell: TestCell;
let pool: Pool;
let bulk: BulkScope;
let project: TestProject;
let steps = 0;

beforeAll(async () => {
  cell = await createTestCell();
  project = await cell.addProject(DESK);
  const connectionString = String((cell.pool.options as { connectionString?: string }).connectionString);
  pool = createPool({ connectionString, max: 2, applicationName: "imports under test" });
  bulk = createBulkScope({ pool, places: 2 });
  const known = await cell.pool.query("SELECT 1 FROM plinth.projects WHERE id = $1", [project.projectId]);
  if (known.rowCount === 0) {
    await cell.pool.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, 'desk')", [project.projectId]);
  }
  await openImport(cell.pool, project.projectId, { source: SOURCE, label: "a source" }, "ana@example.com");
}, 60_000);

afterAll(async () => {
  await pool?.end();
  await cell?.close();
});

/** A batch of a step of its own. */
function batch(step: Partial<BatchBody["step"]>, rows: readonly (readonly string[])[], more: Partial<BatchBody> = {}) {
  const name = `step ${++steps}`;
  const whole: BatchBody = {
    source: SOURCE,
    step: { name, kind: "records", entity: "ticket", fields: ["id", "title"], ...step },
    after: null,
    last: "1",
    count: rows.length,
    rows: rows.map((row, at) => `${[at, "1", ...row].join("\t")}\n`).join(""),
    organization: null,
    dry: false,
    pending: [],
    ...more,
  };
  return takeBatch(bulk, project.release, whole, { email: "ana@example.com", requestId: randomUUID() });
}

describe("a batch that can't be carried out", () => {
  it("is the sender's mistake", async () => {
    const [id, title] = [randomUUID(), "a ticket"];
    const refused = { code: "validation_failed" };
    await expect(batch({ fields: ["id", "title", "title"] }, [[id, title, title]])).rejects.toMatchObject(refused);
    await expect(batch({ kind: "fill" }, [[id, title]])).rejects.toMatchObject(refused);
    await expect(batch({ kind: "fill", fields: ["id"] }, [[id]])).rejects.toMatchObject(refused);
    const three = ["id", "assignee", "title"];
    await expect(batch({ kind: "fill", fields: three }, [[id, id, title]])).rejects.toMatchObject(refused);
    expect(await cell.rows(project, "SELECT 1 FROM {schema}.tickets")).toEqual([]);
  });
});

describe("users", () => {
  const users = (rows: readonly (readonly [email: string, roles: string])[]) =>
    batch(
      { entity: "user", fields: ["id", "email", "roles"] },
      rows.map(([email, roles]) => [randomUUID(), email, roles]),
    );

  it("are refused with an address in capitals, by which nobody could sign in, and with a role that isn't declared", async () => {
    const { accepted, refusals } = await users([
      ["Ana@example.com", "{}"],
      ["bob@example.com", "{clerk,superuser}"],
      ["eve@example.com", "{NULL}"],
      ["cid@example.com", "{clerk}"],
      ["dan@example.com", "{}"],
    ]);
    expect(refusals.map(({ key, field, code }) => [key, field, code])).toEqual([
      ["0", "email", "invalid_format"],
      ["1", "roles", "invalid_format"],
      ["2", "roles", "invalid_format"],
    ]);
    expect(accepted).toBe(2);
    expect(await cell.rows(project, "SELECT email, roles FROM {schema}.users ORDER BY email")).toEqual([
      { email: "cid@example.com", roles: ["clerk"] },
      { email: "dan@example.com", roles: [] },
    ]);
  });
});
