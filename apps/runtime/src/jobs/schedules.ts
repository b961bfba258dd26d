// Starts what is scheduled. In: the schedules that are due. Out: runs, one for each tick, whatever the number of processes: a tick
// and the time of the next one are one transaction, under the schedule's row lock.
import type { BundleSchedule, ProjectId } from "@plinth/bundle";
import { inTransaction, type ProjectScope, quoteIdentifier } from "@plinth/postgres";
import type { Logger } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import type { ActiveRelease, ReleaseRegistry } from "../project/active-release.ts";
import { nextTick, ticksOf } from "./ticks.ts";

export interface SchedulerOptions {
  readonly pool: Pool;
  readonly registry: ReleaseRegistry;
  readonly scopeOf: (projectId: string) => ProjectScope;
  /** UUID v7, increasing. */
  readonly newId: () => string;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export interface Scheduler {
  /** Starts what is due. Out: how many runs. */
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

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { pool, logger } = options;
  return {
    async tick() {
      const { rows } = await pool.query<Due>(
        `SELECT project_id, name, cron, timezone, next_at FROM plinth.schedules
         WHERE NOT paused AND (next_at IS NULL OR next_at <= $1) ORDER BY next_at NULLS FIRST LIMIT ${BATCH_MAX}`,
        [new Date(options.now())],
      );
      let started = 0;
      for (const due of rows) {
        try {
          started += await inTransaction(pool, (client) => startDue(options, client, due));
        } catch (error) {
          logger.warn({ err: error, projectId: due.project_id, schedule: due.name }, "a schedule could not be started");
        }
      }
      return started;
    },
  };
}

async function startDue(options: SchedulerOptions, client: PoolClient, { project_id, name }: Due): Promise<number> {
  const { rows } = await client.query<Due>(
    `SELECT project_id, name, cron, timezone, next_at FROM plinth.schedules
     WHERE project_id = $1 AND name = $2 AND NOT paused FOR UPDATE SKIP LOCKED`,
    [project_id, name],
  );
  const [due] = rows;
  const nowMs = options.now();
  // Another process was faster, or is at it.
  if (due === undefined || (due.next_at !== null && due.next_at.getTime() > nowMs)) return 0;
  const release = await options.registry.get(project_id);
  const schedule = release?.bundle.background.schedules.find((each) => each.name === name);
  let started = 0;
  if (release !== null && schedule !== undefined && due.next_at !== null) {
    for (const tick of ticksOf(schedule, due.next_at.getTime(), nowMs)) {
      if (await startRun(options, client, release, schedule, tick)) started++;
    }
  }
  await client.query(
    "UPDATE plinth.schedules SET next_at = $3, last_at = CASE WHEN $4 THEN $5 ELSE last_at END WHERE project_id = $1 AND name = $2",
    [project_id, name, nextTick(due, nowMs), started > 0, new Date(nowMs)],
  );
  return started;
}

/** False where it was skipped: the last run still runs. */
async function startRun(
  { scopeOf, newId }: SchedulerOptions,
  client: PoolClient,
  release: ActiveRelease,
  schedule: BundleSchedule,
  tickMs: number,
): Promise<boolean> {
  const { projectId, releaseId, bundle } = release;
  const target = bundle.background.workflows.find((each) => each.name === schedule.run);
  if (target === undefined) return false;
  const runs = `${release.schema}."workers__runs"`;
  const key = `schedule/${schedule.name}`;
  const id = newId();
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(scopeOf(projectId).worker)}`);
  if (schedule.overlap === "skip") {
    const { rowCount } = await client.query(`SELECT 1 FROM ${runs} WHERE "order_key" = $1 AND "ended_at" IS NULL`, [
      key,
    ]);
    if (rowCount !== 0) {
      await client.query("SET LOCAL ROLE NONE");
      return false;
    }
  }
  await client.query(
    `INSERT INTO ${runs} ("id", "workflow", "kind", "definition", "order_key", "seq", "status", "input", "request_id",
       "actor_kind", "actor_id") VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7, $8, 'service', $9)`,
    [
      id,
      target.name,
      target.kind,
      releaseId,
      schedule.overlap === "allow" ? null : key,
      String(tickMs),
      JSON.stringify({ schedule: schedule.name, tick: new Date(tickMs).toISOString() }),
      id,
      `schedule ${schedule.name}`,
    ],
  );
  await client.query("SET LOCAL ROLE NONE");
  await client.query(
    "INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at) VALUES ($1, $2, $3, clock_timestamp())",
    [projectId, id, target.kind === "worker" ? target.name : ""],
  );
  return true;
}
