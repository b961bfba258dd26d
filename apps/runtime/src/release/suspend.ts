// Suspends a deleted project, which can still be restored. In: a project. Out: it is served, or it isn't and none of
// its work starts. Repeating it changes nothing, because control repeats calls without an answer.
import { inTransaction } from "@plinth/postgres";
import type { Pool } from "pg";
import { bumpEpoch } from "../identity/epoch.ts";
import { RELEASE_CHANNEL } from "./activate.ts";

/** Work is postponed by this time, and moved back by the same: it keeps its order and its times. */
const PUT_OFF = "interval '1000 years'";
const IS_PUT_OFF = `due_at > now() + ${PUT_OFF} / 2`;

/** False if the cell doesn't know the project. */
export function setSuspended(pool: Pool, projectId: string, suspended: boolean): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    // Not FOR UPDATE: every new row of the project refers to this one, so its writer and this transaction would wait
    // for each other.
    const { rows } = await client.query<{ suspended: boolean }>(
      "SELECT suspended_at IS NOT NULL AS suspended FROM plinth.projects WHERE id = $1 FOR NO KEY UPDATE",
      [projectId],
    );
    const [project] = rows;
    if (project === undefined) return false;
    if (project.suspended === suspended) return true;
    await client.query("UPDATE plinth.projects SET suspended_at = CASE WHEN $2 THEN now() END WHERE id = $1", [
      projectId,
      suspended,
    ]);
    await client.query(
      suspended
        ? `UPDATE plinth.due_runs SET due_at = due_at + ${PUT_OFF}
           WHERE project_id = $1 AND due_at < 'infinity' AND NOT (${IS_PUT_OFF})`
        : `UPDATE plinth.due_runs SET due_at = due_at - ${PUT_OFF}
           WHERE project_id = $1 AND due_at < 'infinity' AND ${IS_PUT_OFF}`,
      [projectId],
    );
    await client.query("SELECT pg_notify($1, $2)", [RELEASE_CHANNEL, projectId]);
    await bumpEpoch(client, projectId);
    return true;
  });
}
