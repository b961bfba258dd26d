// The state of a project's schedules, and the actions on them: run one now, pause it, resume it. In: an admin's
// request. Out: the schedules, or the change with its line in the audit log, in one transaction under the schedule's
// row lock.
import type { BundleSchedule } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { Reply } from "../../http/contracts.ts";
import { principalId } from "../../project/principal.ts";
import { startScheduledRun } from "../../schedules/start-run.ts";
import { comingTicks, countMissed } from "../../schedules/ticks.ts";
import { actorOf } from "../audit.ts";
import { instant } from "../instants.ts";
import { jsonReply } from "../json-body.ts";
import type { Scoped } from "./steer.ts";

const COMING = 5;

interface ScheduleRow {
  readonly name: string;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly last_run_id: string | null;
  readonly last_status: string | null;
  readonly paused_at: string | null;
  readonly paused_by: string | null;
}

export async function readSchedules({ scope, context }: Scoped): Promise<Reply> {
  const { projectId, release } = context;
  const { schedules } = release.bundle.background;
  const rows = await scope.transaction(async (open) => {
    await open.client.query("SET LOCAL ROLE NONE");
    const { rows: found } = await open.query(
      `SELECT coalesce(json_agg(_s), '[]'::json)::text FROM (
         SELECT s.name, s.next_at, s.last_at, s.last_run_id, r."status" AS last_status, s.paused_at, s.paused_by
         FROM plinth.schedules s LEFT JOIN ${release.schema}."workers__runs" r ON r."id" = s.last_run_id
         WHERE s.project_id = $1) _s`,
      [projectId],
    );
    return JSON.parse(found[0]?.[0] ?? "[]") as readonly ScheduleRow[];
  });
  const nowMs = Date.now();
  return jsonReply(
    200,
    schedules.map((schedule) =>
      shown(
        schedule,
        rows.find(({ name }) => name === schedule.name),
        nowMs,
      ),
    ),
  );
}

function shown(schedule: BundleSchedule, row: ScheduleRow | undefined, nowMs: number): object {
  const { name, cron, timezone, run, overlap, catchUp } = schedule;
  const isPaused = row?.paused_at != null;
  return {
    name,
    cron,
    timezone,
    run,
    overlap,
    catch_up: catchUp,
    next: comingTicks(schedule, nowMs, COMING).map((tick) => tick.toISOString()),
    last_at: instant(row?.last_at ?? null),
    last_run: row?.last_run_id == null ? null : { id: row.last_run_id, status: row.last_status },
    paused_at: instant(row?.paused_at ?? null),
    paused_by: row?.paused_by ?? null,
    // The ticks that would run at once if it were resumed now.
    missed: isPaused && row.next_at !== null ? countMissed(schedule, Date.parse(row.next_at), nowMs) : 0,
  };
}

/**
 * Starts its run now, whatever the time, even if it is paused. Its next tick doesn't change. @throws Fault not_found,
 * conflict if `overlap` is `skip` and the last run has not ended.
 */
export async function runSchedule(scoped: Scoped, name: string, runId: string): Promise<void> {
  const { scope, context } = scoped;
  const { release, principal, incoming } = context;
  await change(scoped, name, "run_schedule", { run: runId }, async (open, schedule) => {
    const by = actorOf(principal);
    const start = { scope, release, schedule, runId, tickMs: Date.now(), by, requestId: incoming.id };
    const started = await startScheduledRun(open.client, start);
    if (started === null) throw new Fault("conflict", { detail: stillRuns });
    await open.query(
      `UPDATE plinth.schedules SET last_at = clock_timestamp(), last_run_id = $3 WHERE project_id = $1 AND name = $2`,
      [scoped.context.projectId, name, runId],
    );
  });
}

const stillRuns =
  "The last run of the schedule has not ended, and `overlap` is `skip`. Wait for that run, or cancel it.";

/** From now on, no tick starts a run, in any process. @throws Fault not_found, conflict. */
export async function pauseSchedule(scoped: Scoped, name: string): Promise<void> {
  const by = principalId(scoped.context.principal);
  await change(scoped, name, "pause_schedule", {}, async (open) => {
    const { rowCount } = await open.query(
      `UPDATE plinth.schedules SET paused_at = clock_timestamp(), paused_by = $3
       WHERE project_id = $1 AND name = $2 AND paused_at IS NULL`,
      [scoped.context.projectId, name, by],
    );
    if (rowCount === 0) throw new Fault("conflict", { detail: "The schedule is already paused." });
  });
}

/**
 * Ticks start runs again. Missed ticks are handled as after an outage: `catch_up` decides, unless they are to be
 * skipped. @throws Fault not_found, conflict.
 */
export async function resumeSchedule(scoped: Scoped, name: string, skipMissed: boolean): Promise<void> {
  await change(scoped, name, "resume_schedule", skipMissed ? { skip_missed: true } : {}, async (open) => {
    const { rowCount } = await open.query(
      // Without a next time, the scheduler computes one from now on.
      `UPDATE plinth.schedules SET paused_at = NULL, paused_by = NULL, next_at = CASE WHEN $3::boolean THEN NULL ELSE next_at END
       WHERE project_id = $1 AND name = $2 AND paused_at IS NOT NULL`,
      [scoped.context.projectId, name, String(skipMissed)],
    );
    if (rowCount === 0) throw new Fault("conflict", { detail: "The schedule is not paused." });
  });
}

type Open = Parameters<Parameters<Scoped["scope"]["transaction"]>[0]>[0];

/** @param work Runs under the cell's role, with the schedule's row locked, so that no tick starts meanwhile. */
async function change(
  { scope, context }: Scoped,
  name: string,
  operation: string,
  changes: Readonly<Record<string, unknown>>,
  work: (open: Open, schedule: BundleSchedule) => Promise<void>,
): Promise<void> {
  const { release, incoming, principal, projectId } = context;
  const schedule = release.bundle.background.schedules.find((each) => each.name === name);
  if (schedule === undefined) throw new Fault("not_found");
  const actor = actorOf(principal);
  await scope.transaction(async (open) => {
    await open.query(
      `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "changes")
       VALUES ($1, $2, $3, $4, 'schedule', $5::jsonb)`,
      [incoming.id, actor.kind, actor.id, operation, JSON.stringify({ schedule: name, ...changes })],
    );
    await open.client.query("SET LOCAL ROLE NONE");
    const { rowCount } = await open.query(
      "SELECT 1 FROM plinth.schedules WHERE project_id = $1 AND name = $2 FOR UPDATE",
      [projectId, name],
    );
    if (rowCount === 0) throw new Fault("not_found");
    await work(open, schedule);
  });
}
