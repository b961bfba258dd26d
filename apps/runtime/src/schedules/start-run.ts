// Starts the run of a schedule. In: the transaction of a tick, or of a person who starts it now. Out: a run that is
// due, or a failed one if it was refused.
import type { BundleSchedule } from "@plinth/bundle";
import { type ProjectScope, quoteIdentifier } from "@plinth/postgres";
import type { PoolClient } from "pg";
import type { ActiveRelease } from "../project/active-release.ts";

export interface Start {
  readonly scope: ProjectScope;
  readonly release: ActiveRelease;
  readonly schedule: BundleSchedule;
  readonly runId: string;
  readonly tickMs: number;
  /** The actor that starts it; for a tick, the schedule itself. */
  readonly by: { readonly kind: string; readonly id: string };
  /** The request in its traces. */
  readonly requestId: string;
  /** The reason why it isn't started: it is stored as failed, and can be retried. Default: it is started. */
  readonly refusal?: { readonly code: string; readonly message: string } | null;
}

/**
 * Null if `overlap` says to skip it, because the last run has not ended. The client has the cell's role, before and
 * after.
 */
export async function startScheduledRun(
  client: Pick<PoolClient, "query">,
  { scope, release, schedule, runId, tickMs, by, requestId, refusal = null }: Start,
): Promise<string | null> {
  const { projectId, releaseId, bundle } = release;
  const target = bundle.background.workflows.find((each) => each.name === schedule.run);
  if (target === undefined) return null;
  const runs = `${release.schema}."workers__runs"`;
  const key = `schedule/${schedule.name}`;
  await client.query(`SET LOCAL ROLE ${quoteIdentifier(scope.worker)}`);
  if (schedule.overlap === "skip") {
    const { rowCount } = await client.query(`SELECT 1 FROM ${runs} WHERE "order_key" = $1 AND "ended_at" IS NULL`, [
      key,
    ]);
    if (rowCount !== 0) {
      await client.query("SET LOCAL ROLE NONE");
      return null;
    }
  }
  await client.query(
    `INSERT INTO ${runs} ("id", "workflow", "kind", "definition", "order_key", "seq", "input", "request_id",
       "actor_kind", "actor_id", "status", "error", "ended_at")
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, CASE WHEN $11 = 'failed' THEN now() END)`,
    [
      runId,
      target.name,
      target.kind,
      releaseId,
      schedule.overlap === "allow" ? null : key,
      String(tickMs),
      JSON.stringify({ schedule: schedule.name, tick: new Date(tickMs).toISOString() }),
      requestId,
      by.kind,
      by.id,
      refusal === null ? "queued" : "failed",
      refusal === null ? null : JSON.stringify(refusal),
    ],
  );
  await client.query("SET LOCAL ROLE NONE");
  if (refusal !== null) return runId;
  await client.query(
    "INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at) VALUES ($1, $2, $3, clock_timestamp())",
    [projectId, runId, target.kind === "worker" ? target.name : ""],
  );
  return runId;
}
