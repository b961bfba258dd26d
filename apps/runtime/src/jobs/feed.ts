// Hands runs that are due to the job queue, the projects in turn. In: the cell's list of what is due. Out: jobs. The queue
// knows no projects: whoever has a hundred thousand runs has no more of them in it than whoever has one.
import type { ProjectId } from "@plinth/bundle";
import { inTransaction } from "@plinth/postgres";
import type { Pool } from "pg";

export interface FeederOptions {
  readonly pool: Pool;
  /** Runs in the queue at once, of all projects. */
  readonly windowMax: number;
  readonly perProjectMax: number;
}

export interface Fed {
  readonly runs: number;
  /** When the next run is due, in ms since the epoch; null where none waits for a time. */
  readonly nextDueAtMs: number | null;
}

export const RUN_TASK = "plinth_runs";

export interface RunJob {
  readonly project: ProjectId;
  readonly runs: readonly string[];
}

/** Runs of one project in one job: fetching and completing a job costs more than a short run. */
const RUNS_PER_JOB = 10;
/** A run whose process died is handed over again; should it live, it looks once more for what came meanwhile. Live processes say sooner that they have it. */
const HANDED_MS_MAX = 15_000;

/** One at a time, whatever the number of processes. */
const LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('plinth.feed', 0)) AS got";

const TAKE_BACK = `UPDATE plinth.due_runs SET handed_at = NULL, woken = true
  WHERE handed_at < clock_timestamp() - interval '${HANDED_MS_MAX} milliseconds'`;

/** As many look-ups as there are projects with runs, however many runs there are. A run's turn counts those before it. */
const PICK = `
  WITH RECURSIVE project AS (
    (SELECT project_id AS id FROM plinth.due_runs WHERE handed_at IS NULL ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.project_id FROM plinth.due_runs d WHERE d.handed_at IS NULL AND d.project_id > p.id
      ORDER BY d.project_id LIMIT 1)
    FROM project p WHERE p.id IS NOT NULL
  ), handed AS (
    SELECT project_id, count(*) AS runs FROM plinth.due_runs WHERE handed_at IS NOT NULL GROUP BY project_id
  ), due AS (
    SELECT p.id AS project_id, d.run_id, d.due_at, coalesce(h.runs, 0) + d.place AS turn
    FROM project p LEFT JOIN handed h ON h.project_id = p.id CROSS JOIN LATERAL (
      SELECT w.run_id, w.due_at, row_number() OVER (ORDER BY w.due_at) AS place FROM (
        SELECT run_id, due_at FROM plinth.due_runs w
        WHERE w.project_id = p.id AND w.handed_at IS NULL AND w.due_at <= statement_timestamp()
        ORDER BY w.due_at LIMIT greatest(0, $2 - coalesce(h.runs, 0))
      ) w
    ) d WHERE p.id IS NOT NULL
  ), picked AS (
    SELECT project_id, run_id FROM due ORDER BY turn, due_at
    LIMIT greatest(0, $1 - (SELECT coalesce(sum(runs), 0) FROM handed))
  )
  UPDATE plinth.due_runs d SET handed_at = clock_timestamp() FROM picked
  WHERE d.project_id = picked.project_id AND d.run_id = picked.run_id RETURNING d.project_id, d.run_id`;

/** One look-up in an index of its own, however many runs wait. */
const NEXT_DUE = `SELECT extract(epoch FROM due_at) * 1000 AS at, due_at <= statement_timestamp() AS "isNow"
  FROM plinth.due_runs WHERE handed_at IS NULL AND due_at < 'infinity' ORDER BY due_at LIMIT 1`;

const ADD = `SELECT graphile_worker.add_job('${RUN_TASK}', payload := job, max_attempts := 2)
  FROM json_array_elements($1::json) AS job`;

/** Null where another process is at it. */
export function feed({ pool, windowMax, perProjectMax }: FeederOptions): Promise<Fed | null> {
  return inTransaction(pool, async (client) => {
    const { rows: locks } = await client.query(LOCK);
    if (locks[0].got !== true) return null;
    await client.query(TAKE_BACK);
    const [first] = (await client.query<Next>(NEXT_DUE)).rows;
    if (first?.isNow !== true) return { runs: 0, nextDueAtMs: first === undefined ? null : Number(first.at) };
    const { rows } = await client.query<{ project_id: ProjectId; run_id: string }>(PICK, [windowMax, perProjectMax]);
    if (rows.length > 0) await client.query(ADD, [JSON.stringify(jobsOf(rows))]);
    // What is due and has no place yet is taken when a job ends.
    const [next] = (await client.query<Next>(NEXT_DUE)).rows;
    return { runs: rows.length, nextDueAtMs: next === undefined || next.isNow ? null : Number(next.at) };
  });
}

interface Next {
  readonly at: string;
  readonly isNow: boolean;
}

function jobsOf(rows: readonly { readonly project_id: ProjectId; readonly run_id: string }[]): readonly RunJob[] {
  const byProject = Map.groupBy(rows, (row) => row.project_id);
  return [...byProject].flatMap(([project, of]) => {
    const runs = of.map((row) => row.run_id);
    return Array.from({ length: Math.ceil(runs.length / RUNS_PER_JOB) }, (_, at) => ({
      project,
      runs: runs.slice(at * RUNS_PER_JOB, (at + 1) * RUNS_PER_JOB),
    }));
  });
}
