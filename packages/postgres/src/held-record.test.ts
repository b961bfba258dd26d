// A record that a transaction holds: the lane in which its writers wait.
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sqlState } from "./errors.ts";
import { createFastLane, type FastLane } from "./fast-lane.ts";
import { createPool } from "./pool.ts";
import { createTenantSchema } from "./tenant-schema.ts";
import { createTenantScope, type ProjectScope } from "./tenant-scope.ts";

// Roles belong to the whole server, and test files run at the same time on one server.
const idOf = (name: string): string => `prj_${process.pid.toString(36).padStart(6, "0")}${name.padEnd(14, "0")}`;

let database: TestDatabase;
let owner: pg.Pool;
let fastLane: FastLane;
let writing: ProjectScope;
let reading: ProjectScope;
let text: string;
/** Statements of the fast lane that ended because of the lock. */
let lockedOut = 0;
let trials = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = createPool({ connectionString: database.url, max: 6, applicationName: "a held record" });
  const client = await owner.connect();
  const [one] = [await createTenantSchema(client, idOf("writing")), await createTenantSchema(client, idOf("reading"))];
  await client.query(`BEGIN; SET LOCAL ROLE "${one.owner}"`);
  await client.query(`CREATE TABLE ${one.schema}.rows (id int PRIMARY KEY, name text NOT NULL);
    GRANT SELECT, UPDATE ON ${one.schema}.rows TO ${one.worker};
    INSERT INTO ${one.schema}.rows VALUES (1, 'held'), (2, 'free')`);
  await client.query("COMMIT");
  client.release();
  text = `UPDATE ${one.schema}.rows SET name = $2 WHERE id = $1`;
  fastLane = createFastLane({
    connectionString: database.url,
    connections: 1,
    writeConnections: 1,
    applicationName: "a held record",
  });
  const counted: FastLane = {
    ...fastLane,
    query: (query) =>
      fastLane.query(query).catch((error: unknown) => {
        if (sqlState(error) === "55P03") lockedOut++;
        throw error;
      }),
    tryOut: (...given) => {
      trials++;
      return fastLane.tryOut(...given);
    },
  };
  const scope = createTenantScope({ fastLane: counted, pool: owner, limits: { slowLockMs: 50 } });
  writing = scope.forProject({ projectId: idOf("writing") });
  reading = scope.forProject({ projectId: idOf("reading") });
});
afterAll(async () => {
  await fastLane.close();
  await owner.end();
  await database.drop();
});

const write = (id: number) => writing.run({ text, values: [id, "new"], lane: "fast", writes: true });

async function whileHeld(work: () => Promise<void>): Promise<void> {
  const client = await owner.connect();
  try {
    await client.query("BEGIN");
    await client.query(text, [1, "held"]);
    await work();
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

test("many writers of a held record leave the fast lane at once, including those that are still waiting", async () => {
  await write(2);
  await reading.run({ text: "SELECT 1", values: [], lane: "fast" });
  await write(2);
  await whileHeld(async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => write(1)));
    expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
  });
  expect(lockedOut).toBeGreaterThan(0);
  // The statements that the one connection had already been given.
  expect(lockedOut).toBeLessThanOrEqual(2);
});

test("none returns before it was short in trials", async () => {
  const before = lockedOut;
  await expect.poll(() => write(2).then(() => trials), { timeout: 15_000, interval: 200 }).toBeGreaterThan(0);
  await whileHeld(async () => {
    await Promise.allSettled(Array.from({ length: 20 }, () => write(1)));
  });
  expect(lockedOut).toBe(before);
  // At most 60 s after failed trials; the fast lane's own statements follow after three short ones.
  const tried = trials;
  await expect.poll(() => write(2).then(() => trials), { timeout: 15_000, interval: 200 }).toBeGreaterThan(tried);
}, 40_000);
