// What failed releases have left in the schema. In: a new release from the same base. Out: steps that it need not run.
// It never adopts what was done before the live release went live, nor a verification: that counted for its moment alone.
import { hashOf, type MigrationPlan, type ProjectId } from "@plinth/bundle";
import type { PoolClient } from "pg";
import { essenceOf } from "./migration-sql.ts";

/**
 * Takes over what failed releases have done since the live one went live: those changes stand in the schema, and the same
 * statement in the new plan would meet them.
 */
export async function adoptSteps(
  client: PoolClient,
  release: { readonly id: string; readonly projectId: ProjectId; readonly plan: MigrationPlan },
): Promise<void> {
  const adoptable = release.plan.steps.filter((step) => step.kind !== "verify" && step.phase === "before");
  await client.query(
    `UPDATE plinth.migration_ledger l SET status = 'done', started_at = d.started_at, finished_at = d.finished_at,
       progress = d.progress, rows_done = d.rows_done
     FROM plinth.releases r JOIN plinth.projects p ON p.id = r.project_id
       LEFT JOIN plinth.releases a ON a.id = p.active_release_id,
       plinth.releases f JOIN plinth.migration_ledger d ON d.release_id = f.id
     WHERE r.id = $1 AND l.release_id = r.id AND l.status <> 'done' AND l.step_id = ANY ($2)
       AND f.project_id = r.project_id AND f.id <> r.id AND f.status = 'failed'
       AND f.finished_at > coalesce(a.activated_at, '-infinity')
       AND d.status = 'done' AND d.sql_hash = l.sql_hash`,
    [release.id, adoptable.map((step) => step.id)],
  );
}

export function stepHash(step: MigrationPlan["steps"][number]): string {
  return hashOf(essenceOf(step));
}
