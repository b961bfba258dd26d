// Imports the schema of a database: `plinth import postgres` writes its blueprint, a real cell serves it unchanged, and
// the API refuses what the source's constraints refuse. The same for a Prisma schema.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, callerOf, type Reply, signUp } from "./api.ts";
import { type BareCell, type PublishedProject, startBareCell } from "./published-cell.ts";

const root = resolve(import.meta.dirname, "..");
const testdata = resolve(root, "apps/cli/src/import/testdata");
let source: TestDatabase;
let database: TestDatabase;
let cell: BareCell;

beforeAll(async () => {
  [source, database] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const client = new pg.Client({ connectionString: source.adminUrl });
  await client.connect();
  await client.query(readFileSync(resolve(testdata, "workshop.sql"), "utf8"));
  await client.end();
  cell = await startBareCell(database.url);
}, 120_000);

afterAll(async () => {
  cell?.process.kill("SIGTERM");
  await Promise.all([source?.drop(), database?.drop()]);
});

async function imported(
  project: string,
  ...words: readonly string[]
): Promise<{ app: Caller; published: PublishedProject }> {
  const args = [resolve(root, "apps/cli/bin.mjs"), "import", ...words, "--project", project, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
  const { blueprint, inventory, diagnostics } = JSON.parse(stdout);
  expect(diagnostics.filter((one: { severity: string }) => one.severity === "error")).toEqual([]);
  for (const row of inventory) expect(row.unaccounted, row.kind).toBe(0);
  const published = await cell.addProject(project);
  await published.publish(blueprint);
  return { app: callerOf(cell.origin, await published.makeKey("secret")), published };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
function done(reply: Reply): any {
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.body?.data ?? null;
}

describe("a workshop's database", () => {
  let app: Caller;
  let published: PublishedProject;
  let machine: string;
  beforeAll(async () => {
    ({ app, published } = await imported("workshop", "postgres", source.adminUrl, "--schema", "workshop"));
    machine = done(await app.post("/api/machines", newMachine(1))).id;
  });

  const newMachine = (place: number, more: object = {}): object => ({
    hall: 1,
    place,
    name: "Lathe",
    code: "AB",
    ...more,
  });
  const repair = (more: object): Promise<Reply> => app.post("/api/repairs", { machine_id: machine, ...more });

  test("stores what its constraints allow, with defaults", async () => {
    const made = done(
      await repair({ cost: "12.50", state: "in_work", urgent: "y", started_on: "2026-01-02", ended_on: "2026-01-03" }),
    );
    expect(made).toMatchObject({ cost: "12.50", doubled: "25", tags: [], details: { parts: [] } });
  });

  test.each([
    ["not null", { machine_id: null }, 422],
    ["a foreign key", { machine_id: "00000000-0000-4000-8000-000000000000" }, 422],
    ["an enum", { state: "lost" }, 422],
    ["a length", { urgent: "yy" }, 422],
    ["a check of one column", { cost: "-1" }, 422],
    ["a check of two columns", { started_on: "2026-01-02", ended_on: "2026-01-01" }, 422],
    ["a check with a function", { urgent: "x" }, 422],
    ["a check with an implication", { state: "done" }, 422],
  ])("%s refuses the same values as before", async (_, more, status) => {
    const reply = await repair(more);
    expect(reply.status, reply.text).toBe(status);
  });

  test("refuses values that are taken, and what its checks and a domain's length refused", async () => {
    expect((await app.post("/api/machines", newMachine(1))).status).toBe(409);
    expect((await app.post("/api/machines", newMachine(2, { load: 101 }))).status).toBe(422);
    expect((await app.post("/api/machines", newMachine(2, { code: "ab" }))).status).toBe(422);
    expect((await app.post("/api/machines", newMachine(2, { code: "ABCDEFGHI" }))).status).toBe(422);
    done(await app.post("/api/machines", newMachine(2)));
  });

  test("deletes as on delete says: cascade, set null", async () => {
    const [doomed, other] = [
      done(await app.post("/api/machines", newMachine(3))).id,
      done(await app.post("/api/machines", newMachine(4))).id,
    ];
    const gone = done(await repair({ machine_id: doomed })).id;
    const kept = done(await repair({ machine_id: other, spare_machine_id: doomed })).id;
    done(await app.delete(`/api/machines/${doomed}`));
    expect((await app.get(`/api/repairs/${gone}`)).status).toBe(404);
    expect(done(await app.get(`/api/repairs/${kept}`)).spare_machine_id).toBeNull();
  });

  test("gives owners access to their own records only, as proposed", async () => {
    const key = await published.makeKey("publishable");
    const [ana, ben] = [
      await signUp(cell.origin, key, "ana@example.com"),
      await signUp(cell.origin, key, "ben@example.com"),
    ];
    const own = done(await repair({ reporter_id: ana.id })).id;
    expect((await ana.as.get(`/api/repairs/${own}`)).status).toBe(200);
    expect((await ben.as.get(`/api/repairs/${own}`)).status).toBe(404);
    expect((await callerOf(cell.origin, key).get(`/api/repairs/${own}`)).status).not.toBe(200);
  });
});

test("a shop's Prisma schema", async () => {
  const { app } = await imported("shop", "prisma", resolve(testdata, "shop.prisma"));
  const product = { sku: "A1", title: "Pot", price: "3.50" };
  const { id } = done(await app.post("/api/products", product));
  expect((await app.post("/api/products", product)).status).toBe(409);
  expect((await app.post("/api/products", { ...product, sku: "x".repeat(21) })).status).toBe(422);
  expect((await app.post("/api/products", { sku: "A2", price: "1" })).status).toBe(422);
  const category = done(await app.post("/api/categories", { name: "Kitchen" })).id;
  done(await app.patch(`/api/products/${id}`, { categories: [category] }));
  expect((await app.post("/api/reviews", { product_id: category, stars: 1 })).status).toBe(422);
  // Restrict: a product can't be deleted while a review refers to it.
  done(await app.post("/api/reviews", { product_id: id, stars: 5 }));
  expect((await app.delete(`/api/products/${id}`)).status).toBe(409);
});
