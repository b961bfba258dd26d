// Claims due runs for a process, the projects in turn. In: the cell's list of due runs, and how much more the process can
// execute. Out: batches of runs of one project each. A project with a hundred thousand due runs gets no more of them
// than a project with one, until the others have theirs.
import type { ProjectId } from "@plinth/bundle";
import type { Pool } from "pg";
import { PROJECT_RUNS_MAX } from "../workflows/work-processes.ts";

export interface ClaimOptions {
  readonly pool: Pool;
  /** The process, whose heartbeat keeps what it claims. */
  readonly holder: string;
  /** How many runs the process can take. Without any room, each project without a run in progress still gets one. */
  readonly room: number;
  /** How many runs of one project it can have. */
  readonly share: number;
  /** Whether runs have just become due. If not, it looks first whether any is, which costs less than a claim. */
  readonly isExpected: boolean;
}

export interface Claims {
  readonly batches: readonly RunBatch[];
  /** Whether more runs may be due now, for which there was no room. */
  readonly isMore: boolean;
  /** When the next run is due, in ms since the epoch; null if none waits for a time. */
  readonly nextDueAtMs: number | null;
}

/** Runs of one project, which share a transaction if they are short. */
export interface RunBatch {
  readonly project: ProjectId;
  readonly runs: readonly string[];
  /** Larger than that of every earlier claim of these runs. */
  readonly fence: string;
}

/** Short runs share the costs of a transaction, but the place of a batch is not free before its last run has ended. */
export const BATCH_RUNS_MAX = 50;

/**
 * One process claims at a time, because the limits of workers count the claims of all. A claim isn't awaited on the disk:
 * if it is lost with the database server, the run is due again, and only one of two claims with the same number can write
 * it to the run.
 */
const BEGIN = `SELECT set_config('synchronous_commit', 'off', true);
  SELECT pg_advisory_xact_lock(hashtextextended('plinth.feed', 0))`;

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
 * has free places. Only runs in progress count; waiting ones aren't read and don't block others. A row that somebody
 * has locked is left to the next claim. A run is in the hands of its holder while `handed_at` is set. It is never a time
 * in the past, because processes of an older version take back what was handed over long ago.
 */
export function pickText({ holder, room, share }: Pick<ClaimOptions, "holder" | "room" | "share">): string {
  return `${LANES}, handed AS (
    SELECT project_id, worker, count(*) AS runs, count(*) FILTER (WHERE holder = '${holder}') AS own
    FROM plinth.due_runs WHERE handed_at IS NOT NULL GROUP BY project_id, worker
  ), busy AS (
    SELECT project_id, sum(runs) AS runs, sum(own) AS own FROM handed GROUP BY project_id
  ), due AS (
    SELECT l.project_id, w.run_id, w.due_at, coalesce(busy.runs, 0)
      + row_number() OVER (PARTITION BY l.project_id ORDER BY w.due_at) AS turn
    FROM lane l
      LEFT JOIN busy USING (project_id)
      LEFT JOIN handed h USING (project_id, worker)
      LEFT JOIN plinth.worker_bounds b USING (project_id, worker)
    CROSS JOIN LATERAL (
      SELECT least(${PROJECT_RUNS_MAX} - coalesce(busy.runs, 0), ${share} - coalesce(busy.own, 0)) AS free
    ) project
    CROSS JOIN LATERAL (
      SELECT run_id, due_at FROM plinth.due_runs w
      WHERE w.project_id = l.project_id AND w.worker = l.worker AND w.handed_at IS NULL
        AND w.due_at <= statement_timestamp()
      ORDER BY w.due_at
      LIMIT greatest(0, least(project.free, b.runs_max - coalesce(h.runs, 0)))
    ) w
  ), picked AS (
    SELECT due.* FROM due LEFT JOIN busy USING (project_id)
    WHERE turn <= ${PROJECT_RUNS_MAX} AND turn - coalesce(busy.runs, 0) <= ${share} - coalesce(busy.own, 0)
    ORDER BY turn, due_at
    LIMIT greatest((SELECT count(*) FROM due WHERE turn = 1), ${Math.max(0, room)})
  ), free AS (
    -- Each by its key: the planner doesn't know how few they are.
    SELECT row.ctid FROM picked CROSS JOIN LATERAL (
      SELECT d.ctid FROM plinth.due_runs d
      WHERE d.project_id = picked.project_id AND d.run_id = picked.run_id AND d.handed_at IS NULL
      LIMIT 1 FOR UPDATE SKIP LOCKED
    ) row
  ), token AS MATERIALIZED (SELECT nextval('plinth.run_fence')::text AS fence)
  UPDATE plinth.due_runs d SET handed_at = 'infinity', holder = '${holder}'
  WHERE d.ctid = ANY (ARRAY(SELECT ctid FROM free))
  RETURNING d.project_id, d.run_id, (SELECT fence FROM token) AS fence, EXISTS (SELECT 1 FROM plinth.worker_bounds b
    WHERE b.project_id = d.project_id AND b.worker = d.worker) AS bounded`;
}

/** One look-up in a separate index, however many runs wait. */
const NEXT_DUE = `SELECT extract(epoch FROM due_at) * 1000 AS at, due_at <= statement_timestamp() AS "isNow"
  FROM plinth.due_runs WHERE handed_at IS NULL AND due_at < 'infinity' ORDER BY due_at LIMIT 1`;

export async function claimRuns({ pool, isExpected, ...options }: ClaimOptions): Promise<Claims> {
  if (!isExpected) {
    const [first] = (await pool.query<Next>(NEXT_DUE)).rows;
    if (first?.isNow !== true) return { batches: [], isMore: false, nextDueAtMs: dueAtMs(first) };
  }
  // One message, and so one transaction that a process can't hold open. Each statement has its own snapshot.
  const results = (await pool.query(`${BEGIN}; ${pickText(options)}; ${NEXT_DUE}`)) as unknown as readonly [
    unknown,
    unknown,
    { readonly rows: readonly Picked[] },
    { readonly rows: readonly Next[] },
  ];
  const [next] = results[3].rows;
  return { batches: batchesOf(results[2].rows), isMore: next?.isNow === true, nextDueAtMs: dueAtMs(next) };
}

interface Next {
  readonly at: string;
  readonly isNow: boolean;
}

interface Picked {
  readonly project_id: ProjectId;
  readonly run_id: string;
  /** The number of this worker's runs is limited. The next one must not wait for the slowest of a batch. */
  readonly bounded: boolean;
  readonly fence: string;
}

function dueAtMs(next: Next | undefined): number | null {
  return next === undefined || next.isNow ? null : Number(next.at);
}

function batchesOf(rows: readonly Picked[]): readonly RunBatch[] {
  const alike = Map.groupBy(rows, (row) => `${row.project_id} ${row.bounded}`);
  return [...alike.values()].flatMap((of) => {
    const { project_id: project, bounded, fence } = of[0]!;
    const size = bounded ? 1 : BATCH_RUNS_MAX;
    const runs = of.map((row) => row.run_id);
    return Array.from({ length: Math.ceil(runs.length / size) }, (_, at) => ({
      project,
      runs: runs.slice(at * size, (at + 1) * size),
      fence,
    }));
  });
}
