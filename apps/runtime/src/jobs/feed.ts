// Hands due runs to the job queue, the projects in turn. In: the cell's list of due runs. Out: jobs. The queue doesn't
// know projects. A project with a hundred thousand runs has no more of them in the queue than a project with one.
import type { ProjectId } from "@plinth/bundle";
import { inTransaction } from "@plinth/postgres";
import type { Pool } from "pg";

export interface FeederOptions {
  readonly pool: Pool;
  /** Runs of all projects in the queue at once. Beyond it, each project gets one. */
  readonly windowMax: number;
  readonly perProjectMax: number;
  /** Whether it looks for runs whose process has died. */
  readonly takesBack: boolean;
}

export interface Fed {
  readonly runs: number;
  /** When the next run is due, in ms since the epoch; null if none waits for a time. */
  readonly nextDueAtMs: number | null;
}

export const RUN_TASK = "plinth_runs";

export interface RunJob {
  readonly project: ProjectId;
  readonly runs: readonly string[];
  /** Whether the number of concurrent runs of this worker is limited: each run must then keep its place. */
  readonly bounded: boolean;
}

/** Runs of one project in one job: fetching and completing a job costs more than a short run. */
const RUNS_PER_JOB = 50;
/**
 * A run whose process has died is handed over again after this time. If it is still alive, it only looks for new events
 * again. Live processes announce their runs more often than this.
 */
const HANDED_MS_MAX = 15_000;

/** One process at a time. */
const LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('plinth.feed', 0)) AS got";

const TAKE_BACK = `UPDATE plinth.due_runs SET handed_at = NULL, woken = true
  WHERE handed_at < clock_timestamp() - interval '${HANDED_MS_MAX} milliseconds'`;

/**
 * A loose index scan: the number of look-ups is the number of workers (and projects) with runs, however many runs there
 * are.
 */
const LANES = `
  WITH RECURSIVE lane AS (
    (SELECT project_id, worker FROM plinth.due_runs WHERE handed_at IS NULL ORDER BY project_id, worker LIMIT 1)
    UNION ALL
    SELECT next.project_id, next.worker FROM lane CROSS JOIN LATERAL (
      SELECT d.project_id, d.worker FROM plinth.due_runs d
      WHERE d.handed_at IS NULL AND (d.project_id, d.worker) > (lane.project_id, lane.worker)
      ORDER BY d.project_id, d.worker LIMIT 1
    ) next
  )`;

/**
 * A run's turn is the number of its project's runs before it. For a worker with a limit, no more runs are taken than it
 * has free places. Only runs that were handed over count; waiting ones aren't read and don't block others. A project
 * without a run in progress gets a turn even if the window is full, because a few projects may fill it with calls that
 * nobody answers.
 */
export const PICK: string = `${LANES}, handed AS (
    SELECT project_id, worker, count(*) AS runs FROM plinth.due_runs WHERE handed_at IS NOT NULL GROUP BY project_id, worker
  ), busy AS (
    SELECT project_id, sum(runs) AS runs FROM handed GROUP BY project_id
  ), due AS (
    SELECT l.project_id, w.run_id, w.due_at, b.runs_max IS NOT NULL AS bounded, coalesce(busy.runs, 0)
      + row_number() OVER (PARTITION BY l.project_id ORDER BY w.due_at) AS turn
    FROM lane l
      LEFT JOIN busy USING (project_id)
      LEFT JOIN handed h USING (project_id, worker)
      LEFT JOIN plinth.worker_bounds b USING (project_id, worker)
    CROSS JOIN LATERAL (
      SELECT run_id, due_at FROM plinth.due_runs w
      WHERE w.project_id = l.project_id AND w.worker = l.worker AND w.handed_at IS NULL
        AND w.due_at <= statement_timestamp()
      ORDER BY w.due_at
      LIMIT greatest(0, least($2 - coalesce(busy.runs, 0), b.runs_max - coalesce(h.runs, 0)))
    ) w
  ), picked AS (
    -- The outer bound is known when the statement is planned: so few rows are found by their key.
    SELECT * FROM (
      SELECT project_id, run_id, bounded FROM due WHERE turn <= $2 ORDER BY turn, due_at
      LIMIT greatest((SELECT count(*) FROM due WHERE turn = 1), $1 - (SELECT coalesce(sum(runs), 0) FROM busy))
    ) place LIMIT $1
  )
  UPDATE plinth.due_runs d SET handed_at = clock_timestamp() FROM picked
  WHERE d.project_id = picked.project_id AND d.run_id = picked.run_id RETURNING d.project_id, d.run_id, picked.bounded`;

/** One look-up in a separate index, however many runs wait. */
const NEXT_DUE = `SELECT extract(epoch FROM due_at) * 1000 AS at, due_at <= statement_timestamp() AS "isNow"
  FROM plinth.due_runs WHERE handed_at IS NULL AND due_at < 'infinity' ORDER BY due_at LIMIT 1`;

const ADD = `SELECT graphile_worker.add_job('${RUN_TASK}', payload := job, max_attempts := 2)
  FROM json_array_elements($1::json) AS job`;

/** Null if another process is doing it. */
export function feed({ pool, windowMax, perProjectMax, takesBack }: FeederOptions): Promise<Fed | null> {
  return inTransaction(pool, async (client) => {
    const { rows: locks } = await client.query(LOCK);
    if (locks[0].got !== true) return null;
    if (takesBack) await client.query(TAKE_BACK);
    const [first] = (await client.query<Next>(NEXT_DUE)).rows;
    if (first?.isNow !== true) return { runs: 0, nextDueAtMs: first === undefined ? null : Number(first.at) };
    const { rows } = await client.query<Picked>(PICK, [windowMax, perProjectMax]);
    if (rows.length > 0) await client.query(ADD, [JSON.stringify(jobsOf(rows))]);
    // Due runs without a place are taken when a job ends.
    const [next] = (await client.query<Next>(NEXT_DUE)).rows;
    return { runs: rows.length, nextDueAtMs: next === undefined || next.isNow ? null : Number(next.at) };
  });
}

interface Next {
  readonly at: string;
  readonly isNow: boolean;
}

interface Picked {
  readonly project_id: ProjectId;
  readonly run_id: string;
  readonly bounded: boolean;
}

function jobsOf(rows: readonly Picked[]): readonly RunJob[] {
  const alike = Map.groupBy(rows, (row) => `${row.project_id} ${row.bounded}`);
  return [...alike.values()].flatMap((of) => {
    const { project_id: project, bounded } = of[0]!;
    const runs = of.map((row) => row.run_id);
    return Array.from({ length: Math.ceil(runs.length / RUNS_PER_JOB) }, (_, at) => ({
      project,
      runs: runs.slice(at * RUNS_PER_JOB, (at + 1) * RUNS_PER_JOB),
      bounded,
    }));
  });
}

/**
 * Checks the place of a limited worker's run before the run starts. A run that was in the queue for so long that it was
 * taken back has lost its place to another. From now on, renewing its lease keeps the place. False if the place is
 * lost; the run is then handed over again.
 */
export async function keepPlace(pool: Pool, project: ProjectId, runId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    "UPDATE plinth.due_runs SET handed_at = clock_timestamp() WHERE project_id = $1 AND run_id = $2 AND handed_at IS NOT NULL",
    [project, runId],
  );
  return rowCount !== 0;
}
