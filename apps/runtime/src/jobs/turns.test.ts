// Turns between projects: one project's jobs leave the others their turns, and waiting runs are not read.
import { newId } from "@plinth/bundle";
import { runMigrations } from "graphile-worker";
import { afterEach, expect, it } from "vitest";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";
import { feed } from "./feed.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  ticket:
    fields: { title: string }
    permissions:
      admin: { all: true }
`;

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

it("despite one project's 5,000 jobs, another's run gets its turn in the next round", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  await runMigrations({ pgPool: pool });
  const other = newId("prj");
  await pool.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, 'other')", [other]);
  await pool.query(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
     SELECT $1, gen_random_uuid(), clock_timestamp() - interval '1 minute' FROM generate_series(1, 5000)`,
    [work.projectId],
  );
  const round = (): ReturnType<typeof feed> => feed({ pool, windowMax: 80, perProjectMax: 20, takesBack: true });
  expect(await round()).toMatchObject({ runs: 20 });
  // However many are waiting: only runs that were handed over come before somebody else's.
  expect(await round()).toMatchObject({ runs: 0 });
  const run = crypto.randomUUID();
  await pool.query("INSERT INTO plinth.due_runs (project_id, run_id, due_at) VALUES ($1, $2, clock_timestamp())", [
    other,
    run,
  ]);
  expect(await round()).toMatchObject({ runs: 1 });
  const { rows } = await pool.query(
    "SELECT run_id FROM plinth.due_runs WHERE project_id = $1 AND handed_at IS NOT NULL",
    [other],
  );
  expect(rows).toEqual([{ run_id: run }]);
});

it("a project without runs in progress gets a turn, even if others have filled the window", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  await runMigrations({ pgPool: pool });
  const makeDue = async (slug: string, runs: number): Promise<void> => {
    const id = newId("prj");
    await pool.query("INSERT INTO plinth.projects (id, slug) VALUES ($1, $2)", [id, slug]);
    await pool.query(
      `INSERT INTO plinth.due_runs (project_id, run_id, due_at)
       SELECT $1, gen_random_uuid(), clock_timestamp() FROM generate_series(1, $2)`,
      [id, runs],
    );
  };
  const round = (): ReturnType<typeof feed> => feed({ pool, windowMax: 80, perProjectMax: 20, takesBack: true });
  for (const slug of ["one", "two", "three", "four"]) await makeDue(slug, 30);
  expect(await round()).toMatchObject({ runs: 80 });
  await makeDue("five", 30);
  await makeDue("six", 30);
  expect(await round()).toMatchObject({ runs: 2 });
  expect(await round()).toMatchObject({ runs: 0 });
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
  const fed = await feed({ pool, windowMax: 80, perProjectMax: 20, takesBack: true });
  expect(fed?.runs).toBe(0);
  expect(fed?.nextDueAtMs).toBeGreaterThan(Date.now() + 3_600_000);
});
