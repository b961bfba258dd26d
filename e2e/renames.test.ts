// A rename only changes names: every entity and field of a project of 50 entities gets a new name, and no row is
// written.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { callerOf } from "./api.ts";
import { type PublishedCell, startPublishedCell } from "./published-cell.ts";

const entities = 50;
const recordsEach = 5;

/** `thing_7` with `title`, `code`, `part_id` ... before; `item_7` with `name`, `sku`, `piece_id` ... after. */
function blueprint(which: "before" | "after"): string {
  const named = (before: string, after: string): string => (which === "before" ? before : after);
  const was = (name: string): string => named("", ` was(${name})`);
  const entity = (n: number): string => `  ${named("thing", "item")}_${n}:
${named("", `    was: thing_${n}\n`)}    fields:
      ${named("title", "name")}: string${was("title")}
      ${named("code", "sku")}: string unique${was("code")}
      ${named("state", "phase")}: enum[a, b]${was("state")} = a
      ${named("amount", "quantity")}: int index${was("amount")} = 0
      ${named("part_id", "piece_id")}: ref(${named("thing", "item")}_${(n + 1) % entities})?${was("part_id")}
    permissions:
      public: { read: ${named("state", "phase")} == a }
      admin: { all: true }
`;
  const head = "project: renames\nmodules: [auth, users, roles, audit_logs]\nentities:\n";
  return head + Array.from({ length: entities }, (_, n) => entity(n)).join("");
}

let database: TestDatabase;
let cell: PublishedCell;
let client: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  cell = await startPublishedCell(database.url, "renames");
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
}, 120_000);

afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await client?.end();
  await database?.drop();
});

/** The position of each row, and the transaction that wrote it. An update would change both. */
async function allRows(prefix: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let n = 0; n < entities; n++) {
    const table = `"${cell.schema}"."${prefix}_${n}s"`;
    all.push((await client.query(`select ctid::text, xmin::text, id from ${table} order by id`)).rows);
  }
  return all;
}

async function filesOf(prefix: string): Promise<unknown[]> {
  const { rows } = await client.query(
    `select relfilenode from pg_class where relnamespace = $1::regnamespace and relkind in ('r', 'i')
     and relname like $2 order by relfilenode`,
    [`"${cell.schema}"`, `${prefix}%`],
  );
  return rows;
}

test("renaming every entity and field of 50 entities writes no row and rewrites no table", async () => {
  await cell.publish(blueprint("before"));
  const admin = callerOf(cell.origin, await cell.makeKey("secret"));
  for (let n = 0; n < entities; n++) {
    for (let i = 0; i < recordsEach; i++) {
      const reply = await admin.post(`/api/thing_${n}s`, { title: `title ${i}`, code: `code-${i}`, amount: i });
      expect(reply.status, reply.text).toBe(201);
    }
  }
  const rows = await allRows("thing");
  const files = await filesOf("thing");
  const plan = await cell.publish(blueprint("after"));
  expect(plan.steps.filter((step) => step.rewrites || step.kind === "backfill")).toEqual([]);
  expect(await allRows("item")).toEqual(rows);
  expect(await filesOf("item")).toEqual(files);
  const reply = await admin.get("/api/item_7s?limit=1&sort=name");
  expect(reply.body.data[0]).toMatchObject({ name: "title 0", sku: "code-0", phase: "a", quantity: 0, version: 1 });
  const again = await cell.publish(blueprint("after"));
  expect(again.steps).toEqual([]);
  console.log(`renamed ${entities} entities with ${entities * 5} fields in ${plan.steps.length} steps; 0 rows written`);
}, 180_000);
