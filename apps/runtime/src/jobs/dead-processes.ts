// Frees the work of dead processes. In: the cell's list of processes. Out: their runs are due again, and the jobs that
// they had locked can be done by others. It never touches the work of a process with a heartbeat.
import type { Pool } from "pg";
import { DEAD_MS, IS_ALIVE } from "../workflows/work-processes.ts";

/** A process of an older version renews what it has taken at least this often. */
const OLD_HANDED_MS = 15_000;

/** The runs look for new events when they continue. Rows that are locked are taken back later. */
const TAKE_BACK = `UPDATE plinth.due_runs d SET handed_at = NULL, holder = NULL, woken = true FROM (
    SELECT project_id, run_id FROM plinth.due_runs h WHERE handed_at IS NOT NULL AND CASE
      WHEN holder IS NULL THEN handed_at < clock_timestamp() - interval '${OLD_HANDED_MS} milliseconds'
      ELSE NOT EXISTS (SELECT 1 FROM plinth.work_processes p WHERE p.id = h.holder AND ${IS_ALIVE}) END
    FOR UPDATE SKIP LOCKED
  ) dead WHERE d.project_id = dead.project_id AND d.run_id = dead.run_id`;

/** The job queue itself would free a job of a dead process after four hours. */
const UNLOCK = `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT j.locked_by)) FROM graphile_worker.jobs j
  WHERE j.locked_at < clock_timestamp() - interval '${DEAD_MS} milliseconds' AND NOT EXISTS (
    SELECT 1 FROM plinth.work_processes p WHERE j.locked_by = ANY (p.queue_workers) AND ${IS_ALIVE})`;

/** Jobs for which an older version has no more use: runs are claimed from the list of due runs. */
const REMOVE_OLD = `SELECT graphile_worker.complete_jobs(array_agg(id)) FROM graphile_worker.jobs
  WHERE task_identifier = 'plinth_runs'`;

const FORGET = "DELETE FROM plinth.work_processes p WHERE p.beat_at < clock_timestamp() - interval '1 hour'";

/** @returns the number of runs that were taken back. */
export async function takeBackRuns(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(TAKE_BACK);
  await pool.query(FORGET);
  return rowCount ?? 0;
}

/** For a process with a job queue, whose tables exist then. */
export async function unlockJobs(pool: Pool): Promise<void> {
  await pool.query(UNLOCK);
  await pool.query(REMOVE_OLD);
}
