// Writes the limits on concurrent runs of each worker for the feeder. In: the transaction of a switch. Out: one row for
// each worker with a limit. Runs in progress continue.
import type { Bundle, ProjectId } from "@plinth/bundle";
import type { PoolClient } from "pg";

export async function bringBounds(
  client: PoolClient,
  { projectId, bundle }: { readonly projectId: ProjectId; readonly bundle: Bundle },
): Promise<void> {
  const bounded = bundle.background.workflows.filter((one) => one.kind === "worker" && one.concurrencyMax !== null);
  await client.query("DELETE FROM plinth.worker_bounds WHERE project_id = $1", [projectId]);
  await client.query(
    "INSERT INTO plinth.worker_bounds (project_id, worker, runs_max) SELECT $1, * FROM unnest($2::text[], $3::integer[])",
    [projectId, bounded.map(({ name }) => name), bounded.map(({ concurrencyMax }) => concurrencyMax)],
  );
}
