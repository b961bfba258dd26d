// Writes the schedules of a release for the scheduler. In: the transaction of a switch. Out: one row for each. If a
// schedule's times change, its next time is computed again; an unchanged schedule keeps its next time, and whether it
// is paused.
import type { Bundle, ProjectId } from "@plinth/bundle";
import type { PoolClient } from "pg";

export async function bringSchedules(
  client: PoolClient,
  { projectId, bundle }: { readonly projectId: ProjectId; readonly bundle: Bundle },
): Promise<void> {
  const { schedules } = bundle.background;
  await client.query("DELETE FROM plinth.schedules WHERE project_id = $1 AND name <> ALL ($2::text[])", [
    projectId,
    schedules.map(({ name }) => name),
  ]);
  for (const { name, cron, timezone } of schedules) {
    await client.query(
      `INSERT INTO plinth.schedules AS s (project_id, name, cron, timezone) VALUES ($1, $2, $3, $4)
       ON CONFLICT (project_id, name) DO UPDATE SET cron = EXCLUDED.cron, timezone = EXCLUDED.timezone,
         next_at = CASE WHEN (s.cron, s.timezone) = (EXCLUDED.cron, EXCLUDED.timezone) THEN s.next_at END`,
      [projectId, name, cron, timezone],
    );
  }
}
