// The state of a release or a project, for control. In: ids. Out: status, steps, use. It never changes anything.
import type { MigrationPlan } from "@plinth/bundle";
import type { ProjectState, ReleaseState, ReleaseStep } from "@plinth/bundle/cell";
import type { Pool } from "pg";

export async function inspectRelease(pool: Pool, projectId: string, releaseId: string): Promise<ReleaseState | null> {
  const { rows } = await pool.query<{
    status: ReleaseState["status"];
    error: string | null;
    plan: string;
    finished: boolean;
  }>(
    "SELECT status, error, plan, finished_at IS NOT NULL AS finished FROM plinth.releases WHERE project_id = $1 AND id = $2",
    [projectId, releaseId],
  );
  const release = rows[0];
  if (release === undefined) return null;
  const plan = JSON.parse(release.plan) as MigrationPlan;
  const summaries = new Map(plan.steps.map((step) => [step.id, step.summary]));
  const ledger = await pool.query<LedgerRow>(
    `SELECT step_id, status, started_at, finished_at, error, rows_done FROM plinth.migration_ledger
     WHERE release_id = $1 ORDER BY ordinal`,
    [releaseId],
  );
  const steps = ledger.rows.map((row) => ({
    id: row.step_id,
    summary: summaries.get(row.step_id) ?? "",
    status: row.status,
    startedAt: timeOf(row.started_at),
    finishedAt: timeOf(row.finished_at),
    error: row.error,
    rows: row.rows_done === null ? null : Number(row.rows_done),
  }));
  const { status, error, finished } = release;
  return { status, error, finished, steps };
}

interface LedgerRow {
  readonly step_id: string;
  readonly status: ReleaseStep["status"];
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly error: string | null;
  readonly rows_done: string | null;
}

export async function inspectProject(pool: Pool, projectId: string): Promise<ProjectState | null> {
  const { rows } = await pool.query<{
    active_release_id: string | null;
    bundle_hash: string | null;
    first_request_at: Date | null;
    last_request_at: Date | null;
    requests: string;
    keys_used: Readonly<Record<string, string>> | null;
  }>(
    `SELECT p.active_release_id, r.bundle_hash, p.first_request_at, p.last_request_at, p.requests,
       (SELECT jsonb_object_agg(k.id, k.last_used_at) FROM plinth.api_keys k
        WHERE k.project_id = p.id AND k.last_used_at IS NOT NULL) AS keys_used
     FROM plinth.projects p LEFT JOIN plinth.releases r ON r.id = p.active_release_id WHERE p.id = $1`,
    [projectId],
  );
  const row = rows[0];
  if (row === undefined) return null;
  return {
    activeReleaseId: row.active_release_id,
    bundleHash: row.bundle_hash,
    firstRequestAt: timeOf(row.first_request_at),
    lastRequestAt: timeOf(row.last_request_at),
    requests: Number(row.requests),
    keysUsedAt: Object.fromEntries(
      Object.entries(row.keys_used ?? {}).map(([id, usedAt]) => [id, new Date(usedAt).toISOString()]),
    ),
  };
}

function timeOf(value: Date | null): string | null {
  return value?.toISOString() ?? null;
}
