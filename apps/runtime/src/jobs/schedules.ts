// Starts scheduled runs. In: the schedules that are due. Out: one run for each tick, whatever the number of processes.
// A tick and the next time are written in one transaction, under the schedule's row lock.
import type { ProjectId } from "@plinth/bundle";
import { inTransaction, type ProjectScope } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { COUNT_OPEN_RUNS, NOT_BEGUN, type WorkBudget } from "../events/work-budget.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { startScheduledRun } from "../schedules/start-run.ts";
import { nextDue, nextTick, ticksOf } from "../schedules/ticks.ts";

export interface SchedulerOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly budget: WorkBudget;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Scheduler {
  /** Starts the due schedules. Returns the number of runs. */
  tick(): Promise<number>;
}

const BATCH_MAX = 50;

interface Due {
  readonly project_id: ProjectId;
  readonly name: string;
  readonly cron: string;
  readonly timezone: string;
  readonly next_at: Date | null;
}

interface Waiting {
  readonly project_id: ProjectId;
  readonly name: string;
  /** Its time; the next batch continues after it. */
  readonly place: string;
}

const DUE = `SELECT project_id, name, coalesce(next_at, '-infinity')::text AS place FROM plinth.schedules
  WHERE paused_at IS NULL AND (next_at IS NULL OR next_at <= $1)
    AND (coalesce(next_at, '-infinity'), project_id, name) > ($2::timestamptz, $3, $4)
  ORDER BY coalesce(next_at, '-infinity'), project_id, name LIMIT ${BATCH_MAX}`;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { pool, logger } = options;
  return {
    async tick() {
      const now = new Date(options.now());
      let started = 0;
      let after: readonly [place: string, project: string, name: string] = ["-infinity", "", ""];
      for (;;) {
        // Continues after the last one, started or not. Schedules that can't start stay due, and must not stop the
        // others.
        const { rows } = await pool.query<Waiting>(DUE, [now, ...after]);
        for (const due of rows) {
          try {
            started += await inTransaction(pool, (client) => startDue(options, client, due));
          } catch (error) {
            logger.warn(
              { err: error, projectId: due.project_id, schedule: due.name },
              "a schedule could not be started",
            );
          }
        }
        const last = rows.at(-1);
        if (last === undefined || rows.length < BATCH_MAX) return started;
        after = [last.place, last.project_id, last.name];
      }
    },
  };
}

async function startDue(options: SchedulerOptions, client: PoolClient, { project_id, name }: Waiting): Promise<number> {
  const { rows } = await client.query<Due>(
    `SELECT project_id, name, cron, timezone, next_at FROM plinth.schedules
     WHERE project_id = $1 AND name = $2 AND paused_at IS NULL FOR UPDATE SKIP LOCKED`,
    [project_id, name],
  );
  const [due] = rows;
  const nowMs = options.now();
  // Another process has started it, or is starting it.
  if (due === undefined || (due.next_at !== null && due.next_at.getTime() > nowMs)) return 0;
  const release = await options.registry.get(project_id);
  const schedule = release?.bundle.background.schedules.find((each) => each.name === name);
  let ticks: readonly number[] = [];
  let started = 0;
  let last: { readonly runId: string; readonly tickMs: number } | null = null;
  if (release !== null && schedule !== undefined && due.next_at !== null) {
    ticks = ticksOf(schedule, due.next_at.getTime(), nowMs);
    for (const tickMs of ticks) {
      const runId = options.newId();
      const room = await options.budget.runs.take(project_id, 1, (most) => countOpenRuns(client, project_id, most));
      const refusal = room > 0 ? null : NOT_BEGUN;
      const by = { kind: "service", id: `schedule ${name}` };
      const start = {
        scope: options.scopeOf(project_id),
        release,
        schedule,
        runId,
        tickMs,
        by,
        requestId: runId,
        refusal,
      };
      if ((await startScheduledRun(client, start)) === null) continue;
      last = { runId, tickMs };
      started++;
    }
  }
  const next = schedule === undefined ? nextTick(due, nowMs) : nextDue(schedule, ticks, nowMs);
  await client.query(
    `UPDATE plinth.schedules SET next_at = $3, last_at = coalesce($4, last_at), last_run_id = coalesce($5, last_run_id)
     WHERE project_id = $1 AND name = $2`,
    [project_id, name, next, last === null ? null : new Date(last.tickMs), last?.runId ?? null],
  );
  return started;
}

async function countOpenRuns(client: PoolClient, projectId: ProjectId, most: number): Promise<number> {
  const { rows } = await client.query<{ there: number }>(COUNT_OPEN_RUNS, [projectId, most]);
  return rows[0]?.there ?? 0;
}
