// The platform's own jobs: once at each of their times, whatever the number of processes, and retried after a failure.
import { createPool } from "@plinth/postgres";
import { createLogger } from "@plinth/service";
import { createTestDatabase, type TestDatabase } from "@plinth/testkit";
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { cellTemplate } from "../release/testing/cell-template.ts";
import { startPlatformJobs } from "./platform-jobs.ts";
import type { Queue } from "./queue.ts";

let database: TestDatabase;
let pools: Pool[] = [];
let queues: Queue[] = [];
/** Five minutes ago, and not again for an hour. */
const CRON = `${new Date(Date.now() - 300_000).getUTCMinutes()} * * * *`;
const logger = createLogger({ name: "test", level: "silent" });

const open = (): Pool => {
  const pool = createPool({ connectionString: database.url, max: 3, applicationName: "test" });
  pools.push(pool);
  return pool;
};

beforeEach(async () => {
  database = await createTestDatabase(cellTemplate);
});
afterEach(async () => {
  await stopAll();
  for (const pool of pools) await pool.end();
  pools = [];
  await database.drop();
});

async function stopAll(): Promise<void> {
  await Promise.all(queues.map((queue) => queue.stop()));
  queues = [];
}

function start(run: () => Promise<Readonly<Record<string, number>>>): void {
  const job = { name: "count", cron: CRON, run, stop: () => {} };
  queues.push(startPlatformJobs({ pool: open(), jobs: [job], logger }));
}

const sql = async (text: string): Promise<readonly Record<string, unknown>[]> => (await pools[0]!.query(text)).rows;
const isKnown = async (): Promise<boolean> => {
  const there = await sql("SELECT to_regclass('graphile_worker._private_known_crontabs') IS NOT NULL AS known");
  if (there[0]?.["known"] !== true) return false;
  return (await sql("SELECT 1 FROM graphile_worker._private_known_crontabs")).length === 1;
};

/** As if no process had run for two hours. */
async function missOne(): Promise<void> {
  start(async () => ({}));
  await expect.poll(isKnown, { timeout: 10_000 }).toBe(true);
  await stopAll();
  await sql(
    `UPDATE graphile_worker._private_known_crontabs SET known_since = now() - interval '1 day', last_execution = now() - interval '2 hours'`,
  );
}

it("is done once, by one of three processes, if its time was missed", async () => {
  await missOne();
  let done = 0;
  for (let at = 0; at < 3; at++) {
    start(async () => ({ done: ++done }));
  }
  await expect.poll(() => done, { timeout: 10_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(done).toBe(1);
}, 40_000);

it("is retried after a failure, and waits if no process runs", async () => {
  await missOne();
  let tries = 0;
  start(async () => {
    if (++tries === 1) throw new Error("the first try fails");
    return {};
  });
  await expect.poll(() => tries, { timeout: 10_000 }).toBe(1);
  await stopAll();
  expect(await sql("SELECT attempts, key FROM graphile_worker.jobs")).toEqual([{ attempts: 1, key: "plinth_count" }]);
  start(async () => ({ tries: ++tries }));
  await expect.poll(() => tries, { timeout: 15_000 }).toBe(2);
  await expect.poll(() => sql("SELECT 1 FROM graphile_worker.jobs"), { timeout: 5_000 }).toEqual([]);
}, 40_000);
