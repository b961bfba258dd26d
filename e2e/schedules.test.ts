// Two scheduler processes on one database, both with missed ticks as after an outage, and one of them is killed: each
// tick starts one run. Guarantee 7.
import { createTestDatabase, freePort } from "@plinth/testkit";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { startBareCell, until } from "./published-cell.ts";

const SCHEDULES = 40;
const MINUTES = 15;

const blueprint = `project: ticks
modules: [auth, users, roles, workers, audit_logs]
entities: {}
workers:
  note:
    steps:
      - audit.write: { with: { note: ran } }
schedules:
${Array.from({ length: SCHEDULES }, (_, n) => `  every_${n}: { cron: "* * * * *", run: note, overlap: allow, catch_up: all }`).join("\n")}
`;

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

test("two schedulers start one run per tick, even if one is killed", { timeout: 120_000 }, async () => {
  const database = await createTestDatabase();
  closers.push(database.drop);
  const cell = await startBareCell(database.url);
  closers.push(() => cell.process.kill("SIGKILL"));
  const project = await cell.addProject("ticks");
  await project.publish(blueprint);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  closers.push(() => pool.end());
  const behind = await pool.query(
    `UPDATE plinth.schedules SET next_at = date_trunc('minute', now()) - $1 * interval '1 minute' RETURNING next_at`,
    [MINUTES],
  );
  expect(behind.rowCount).toBe(SCHEDULES);
  const start = async () => {
    const child = cell.start("scheduler", { PLINTH_HEALTH_PORT: String(await freePort()) });
    closers.push(() => child.kill("SIGKILL"));
    return child;
  };
  const [first] = [await start(), await start()];
  const runs = async () =>
    (
      await pool.query<{ name: string; ticks: number; runs: number; from: Date; to: Date }>(
        `SELECT input->>'schedule' AS name, count(DISTINCT input->>'tick')::int AS ticks, count(*)::int AS runs,
           min((input->>'tick')::timestamptz) AS from, max((input->>'tick')::timestamptz) AS to
         FROM "${project.schema}".workers__runs GROUP BY 1`,
      )
    ).rows;
  await until(async () => (await runs()).length > 3, 30);
  first.kill("SIGKILL");
  await until(
    async () => (await pool.query("SELECT 1 FROM plinth.schedules WHERE next_at <= now()")).rowCount === 0,
    60,
  );
  const started = await runs();
  expect(started.length).toBe(SCHEDULES);
  for (const { name, ticks, runs: made, from, to } of started) {
    expect({ name, made, from: from.getTime() }).toEqual({ name, made: ticks, from: behind.rows[0].next_at.getTime() });
    expect(made).toBe((to.getTime() - from.getTime()) / 60_000 + 1);
    expect(made).toBeGreaterThan(MINUTES);
  }
});
