// Statements whose time depends on the rows: their lane, and the handling of large results.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createFastLane, type FastLane } from "./fast-lane.ts";
import { createPool } from "./pool.ts";
import { createTenantSchema } from "./tenant-schema.ts";
import { createTenantScope } from "./tenant-scope.ts";

// Roles belong to the whole server, and test files run at the same time on one server.
const first = `prj_${process.pid.toString(36).padStart(6, "0")}earned00000000`;

let database: TestDatabase;
let owner: pg.Pool;
let fastLane: FastLane;
let rowsTable: string;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ connectionString: database.url, max: 6, applicationName: "lanes under test" });
  const client = await owner.connect();
  const one = await createTenantSchema(client, first);
  rowsTable = `${one.schema}.rows`;
  await client.query(`BEGIN; SET LOCAL ROLE "${one.owner}"`);
  await client.query(`CREATE TABLE ${rowsTable} (id int PRIMARY KEY, name text NOT NULL);
    GRANT SELECT ON ${rowsTable} TO ${one.worker};
    INSERT INTO ${rowsTable} SELECT n, 'row ' || n FROM generate_series(1, 100) n`);
  await client.query("COMMIT");
  client.release();
  fastLane = createFastLane({ connectionString: database.url, connections: 1, applicationName: "lanes under test" });
});
afterAll(async () => {
  await fastLane.close();
  await owner.end();
  await database.drop();
});

describe("a statement whose time depends on the rows", () => {
  test("runs in the slow lane until its runs are short, and returns there after long runs", async () => {
    let inFastLane = 0;
    const counted: FastLane = {
      ...fastLane,
      query: (query) => {
        inFastLane++;
        return fastLane.query(query);
      },
    };
    const limits = { slowStatementMs: 15_000 };
    const project = createTenantScope({ fastLane: counted, pool: owner, limits }).forProject({ projectId: first });
    const rows = rowsTable;
    const text = `SELECT count(*)::text FROM ${rows} a, ${rows} b, ${rows} c, ${rows} d WHERE a.id <= $1::int`;
    const run = async (size: number): Promise<number> => {
      const before = inFastLane;
      await project.run({ text, values: [size], lane: "earned" });
      return inFastLane - before;
    };
    expect([await run(0), await run(0), await run(0)]).toEqual([0, 0, 0]);
    // At once on an idle machine; a run that the machine delayed does not count as short.
    await expect.poll(() => run(0), { interval: 1, timeout: 10_000 }).toBe(1);
    // A few million rows: the fast lane cuts this off, the slow lane answers, and after the second time the fast lane
    // isn't tried again.
    expect(await run(5)).toBe(1);
    await run(5);
    expect([await run(5), await run(0)]).toEqual([0, 0]);
  });

  test("can prove that it is short while the slow lane is full, however many statements there are", async () => {
    const limits = { slowPerProject: 1, slowStatementMs: 15_000 };
    const project = createTenantScope({ fastLane, pool: owner, limits }).forProject({ projectId: first });
    const text = `SELECT name FROM ${rowsTable} r WHERE id < $1::int ORDER BY r.id LIMIT 5`;
    await project.run({ text, values: [1], lane: "earned" });
    const rows = rowsTable;
    const long = `SELECT count(*)::text FROM ${rows} a, ${rows} b, ${rows} c, ${rows} d WHERE a.id <= 10`;
    const occupied = project.run({ text: long, values: [], lane: "slow" });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => project.run({ text, values: [9], lane: "earned" })),
    );
    for (const { rowCount } of answers) expect(rowCount).toBe(5);
    // Transactions, such as a sign-in, don't wait for its statements either.
    let isOver = false;
    const over = occupied.then(() => {
      isOver = true;
    });
    await project.transaction(async ({ query }) => query("SELECT 1"));
    expect(isOver).toBe(false);
    await over;
  });

  test("is cut off in a trial, and not tried again at once", async () => {
    let trials = 0;
    const counted: FastLane = {
      ...fastLane,
      tryOut: (...given) => {
        trials++;
        return fastLane.tryOut(...given);
      },
    };
    const project = createTenantScope({ fastLane: counted, pool: owner }).forProject({ projectId: first });
    const text = `SELECT count(*)::text FROM ${rowsTable} a, ${rowsTable} b, ${rowsTable} c WHERE a.id <= $1::int`;
    for (let i = 0; i < 3; i++) {
      expect((await project.run({ text, values: [100], lane: "earned" })).rows).toEqual([["1000000"]]);
    }
    expect(trials).toBeLessThan(3);
    expect(trials).toBeGreaterThan(0);
  });

  test("is read in pieces if its result may be too large, and cut off after the last row that fits", async () => {
    const project = createTenantScope({ fastLane, pool: owner, limits: { slowStatementMs: 15_000 } }).forProject({
      projectId: first,
    });
    const text = `SELECT id::text, repeat('x', $1::int) FROM ${rowsTable} r WHERE id <= 100 ORDER BY r.id`;
    const read = (size: number, lane: "slow" | "fast") =>
      project.run({ text, values: [size], lane, bytesMax: 1_000_000 });
    expect(await read(10, "slow")).toMatchObject({ rowCount: 100 });
    const cut = await read(150_000, "slow");
    expect(cut).toMatchObject({ rowCount: 6, cut: true });
    expect(cut.rows.map(([id]) => id)).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(await read(1_200_000, "slow")).toMatchObject({ rowCount: 1, cut: true });
    // The result is the same if it starts in the fast lane.
    expect(await read(150_000, "fast")).toMatchObject({ rowCount: 6, cut: true });
  });
});
