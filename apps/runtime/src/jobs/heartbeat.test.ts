// Guarantee 3: a dead process's runs and jobs continue in another one, and a living process's are never taken. Nothing
// that a process has claimed stays with it if it doesn't execute it.
import { runMigrations } from "graphile-worker";
import { afterEach, expect, it } from "vitest";
import { createRecord } from "../query/run.ts";
import { openWorkCell, type WorkCell } from "../workflows/testing/work-cell.ts";
import { DEAD_MS } from "../workflows/work-processes.ts";
import { takeBackRuns, unlockJobs } from "./dead-processes.ts";
import { createHeartbeat, type Heartbeat } from "./heartbeat.ts";

const TEXT = `project: desk
modules: [auth, users, roles, workers, audit_logs]
entities:
  note:
    fields: { text: string }
    permissions: { admin: { all: true } }
workflows:
  see:
    on: note.created
    steps: [record.update: { with: { text: seen } }]
`;

let work: WorkCell | null = null;
afterEach(async () => {
  await work?.close();
  work = null;
});

const longAgo = "clock_timestamp() - interval '20 seconds'";

async function addProcess({ sql }: WorkCell, beatAt: string, queueWorker = ""): Promise<string> {
  const id = crypto.randomUUID();
  await sql(`INSERT INTO plinth.work_processes (id, beat_at, queue_workers, calls) VALUES ($1, ${beatAt}, $2, '{}')`, [
    id,
    [queueWorker],
  ]);
  return id;
}

/** A due run in the hands of a process. */
async function addHanded({ sql, projectId }: WorkCell, holder: string | null, handedAt: string): Promise<string> {
  const id = crypto.randomUUID();
  await sql(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at, handed_at, holder) VALUES ($1, $2, now(), ${handedAt}, $3)`,
    [projectId, id, holder],
  );
  return id;
}

it("runs of dead processes are taken back, of this version and the one before, and those of living ones are not", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const dead = await addProcess(work, longAgo);
  const living = await addProcess(work, "clock_timestamp()");
  const lost = [
    await addHanded(work, dead, "'infinity'"),
    await addHanded(work, crypto.randomUUID(), "'infinity'"),
    await addHanded(work, null, longAgo),
  ];
  await addHanded(work, living, "'infinity'");
  await addHanded(work, null, "clock_timestamp()");
  expect(await takeBackRuns(work.cell.pool)).toBe(3);
  const free = await work.sql(
    "SELECT run_id FROM plinth.due_runs WHERE handed_at IS NULL AND holder IS NULL AND woken",
  );
  expect(free.map((row) => row["run_id"]).sort()).toEqual(lost.sort());
});

it("jobs that a dead process has locked are free, and those of a living one are not", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { pool } = work.cell;
  await runMigrations({ pgPool: pool });
  await addProcess(work, longAgo, "dead");
  await addProcess(work, "clock_timestamp()", "living");
  for (const name of ["dead", "living", "unknown"]) {
    await pool.query("SELECT graphile_worker.add_job($1)", [name]);
    await pool.query(
      `UPDATE graphile_worker._private_jobs SET locked_by = $1, locked_at = ${longAgo} WHERE locked_by IS NULL`,
      [name],
    );
  }
  await pool.query("SELECT graphile_worker.add_job('plinth_runs')");
  await unlockJobs(pool);
  const { rows } = await pool.query(
    "SELECT task_identifier AS task, locked_by AS by FROM graphile_worker.jobs ORDER BY 1",
  );
  expect(rows).toEqual([
    { task: "dead", by: null },
    { task: "living", by: "living" },
    { task: "unknown", by: null },
  ]);
});

it("after an outage, a process gives the others time before it counts them as dead", async () => {
  work = await openWorkCell(TEXT, {}, { works: false });
  const { cell } = work;
  let nowMs = 0;
  const heartbeat: Heartbeat = createHeartbeat({
    pool: cell.pool,
    holder: crypto.randomUUID(),
    queue: null,
    calls: () => ({}),
    logger: cell.logger,
    clock: () => nowMs,
  });
  const run = await addHanded(work, await addProcess(work, longAgo), "'infinity'");
  const isFree = async (): Promise<unknown> =>
    (await work!.sql("SELECT handed_at IS NULL AS free FROM plinth.due_runs WHERE run_id = $1", [run]))[0]?.["free"];
  expect(heartbeat.isAlive()).toBe(false);
  const beatUntil = async (endMs: number): Promise<void> => {
    for (; nowMs < endMs; nowMs += 3_000) await heartbeat.beat();
  };
  nowMs = 100_000;
  await beatUntil(nowMs + DEAD_MS);
  expect([heartbeat.isAlive(), await isFree()]).toEqual([true, false]);
  nowMs += DEAD_MS + 1;
  expect(heartbeat.isAlive()).toBe(false);
  await beatUntil(nowMs + DEAD_MS);
  expect(await isFree()).toBe(false);
  await heartbeat.beat();
  expect(await isFree()).toBe(true);
});

it("a run that a living process has claimed and doesn't execute is due again", async () => {
  work = await openWorkCell(TEXT, {});
  await createRecord(await work.request("note"), crypto.randomUUID(), new Map([["text", "new"]]));
  await work.settled();
  await work.sql("UPDATE {schema}.workers__runs SET ended_at = NULL, status = 'queued'");
  await work.sql("DELETE FROM {schema}.workers__steps");
  // As if the answer to its claim had been lost with the connection.
  await work.sql(
    `INSERT INTO plinth.due_runs (project_id, run_id, due_at, handed_at, holder)
     SELECT $1, r.id, now(), 'infinity', p.id FROM {schema}.workers__runs r, plinth.work_processes p`,
    [work.projectId],
  );
  await work.settled();
  expect(await work.sql("SELECT status FROM {schema}.workers__runs")).toEqual([{ status: "completed" }]);
});
