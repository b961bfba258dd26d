// Turns between projects: one project's runs leave the others their turns, and waiting runs are not read.
import { newId } from "@plinth/bundle";
import { afterEach, expect, it } from "vitest";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";
import { type Claims, claimRuns } from "./claim-runs.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;

let work: WorkCell | null = null;
const holder = crypto.randomUUID();
const countOf = ({ batches }: Claims): number => batches.reduce((sum, { runs }) => sum + runs.length, 0);
afterEach(async () => {
  await work?.close();
  work = null;
});

it("despite one project's 5,000 due runs, another's run gets its turn in the next round", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  const other = newId("prj");
  await pool.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, 'other')", [other]);
  await pool.query(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
     SELECT $1, gen_random_uuid(), clock_timestamp() - interval '1 minute' FROM generate_series(1, 5000)`,
    [work.projectId],
  );
  const round = async (): Promise<number> =>
    countOf(await claimRuns({ pool, holder, room: 80, share: 20, isExpected: false }));
  expect(await round()).toBe(20);
  // However many are waiting: only runs in progress come before somebody else's.
  expect(await round()).toBe(0);
  const run = crypto.randomUUID();
  await pool.query("INSERT INTO plinth.due_runs (project_id, run_id, due_at) VALUES ($1, $2, clock_timestamp())", [
    other,
    run,
  ]);
  expect(await round()).toBe(1);
  const { rows } = await pool.query(
    "SELECT run_id FROM plinth.due_runs WHERE project_id = $1 AND handed_at IS NOT NULL",
    [other],
  );
  expect(rows).toEqual([{ run_id: run }]);
});

it("a project without runs in progress gets a turn, even if others have filled the process", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  const makeDue = async (slug: string, runs: number): Promise<void> => {
    const id = newId("prj");
    await pool.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, $2)", [id, slug]);
    await pool.query(
      `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
       SELECT $1, gen_random_uuid(), clock_timestamp() FROM generate_series(1, $2)`,
      [id, runs],
    );
  };
  const round = async (room: number): Promise<number> =>
    countOf(await claimRuns({ pool, holder, room, share: 20, isExpected: false }));
  for (const slug of ["one", "two", "three", "four"]) await makeDue(slug, 30);
  expect(await round(80)).toBe(80);
  await makeDue("five", 30);
  await makeDue("six", 30);
  expect(await round(0)).toBe(2);
  expect(await round(0)).toBe(0);
});

it("the next due time is found without reading the waiting runs", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  await pool.query(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
     SELECT $1, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN 'infinity' ELSE clock_timestamp() + interval '1 day' END
     FROM generate_series(1, 5000) n`,
    [work.projectId],
  );
  await pool.query("ANALYZE plinth.due_runs");
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `EXPLAIN (ANALYZE, TIMING OFF) SELECT due_at FROM plinth.due_runs
       WHERE handed_at IS NULL AND due_at < 'infinity' ORDER BY due_at LIMIT 1`,
    );
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("due_runs_next");
    expect(plan).not.toContain("Sort");
  } finally {
    client.release();
  }
  const claims = await claimRuns({ pool, holder, room: 80, share: 20, isExpected: false });
  expect(claims.batches).toEqual([]);
  expect(claims.nextDueAtMs).toBeGreaterThan(Date.now() + 3_600_000);
});

it("two processes that claim at once never get the same run, and the later claim has the larger number", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  await pool.query(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
     SELECT $1, gen_random_uuid(), clock_timestamp() FROM generate_series(1, 120)`,
    [work.projectId],
  );
  const claims = await Promise.all(
    Array.from({ length: 4 }, () =>
      claimRuns({ pool, holder: crypto.randomUUID(), room: 30, share: 30, isExpected: false }),
    ),
  );
  const runs = claims.flatMap(({ batches }) => batches.flatMap((batch) => batch.runs));
  expect([runs.length, new Set(runs).size]).toEqual([120, 120]);
  expect(new Set(claims.map(({ batches }) => batches[0]?.fence)).size).toBe(4);
});

it("a run whose row is locked is left to the next claim", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  await pool.query(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
     SELECT $1, gen_random_uuid(), clock_timestamp() FROM generate_series(1, 2)`,
    [work.projectId],
  );
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM plinth.due_runs LIMIT 1 FOR UPDATE");
    expect(countOf(await claimRuns({ pool, holder, room: 80, share: 20, isExpected: false }))).toBe(1);
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
  expect(countOf(await claimRuns({ pool, holder, room: 80, share: 20, isExpected: false }))).toBe(1);
});
