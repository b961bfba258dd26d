// Makes a migrated release the live one. In: a release. Out: whether it is live now.
// The switch, the epoch and the NOTIFY are one transaction: no replica ever sees a part of it.
import type { Pool } from "pg";
import { bumpEpoch } from "../identity/epoch.ts";
import { inTransaction } from "../identity/transaction.ts";

export const RELEASE_CHANNEL = "plinth_release";

/** @throws ReleaseOvertaken where another release went live since this one was approved. */
export async function activateRelease(pool: Pool, projectId: string, releaseId: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{
      base_hash: string | null;
      active_id: string | null;
      active_hash: string | null;
    }>(
      `SELECT r.base_hash, p.active_release_id AS active_id, a.bundle_hash AS active_hash
       FROM plinth.projects p JOIN plinth.releases r ON r.id = $2 AND r.project_id = p.id
       LEFT JOIN plinth.releases a ON a.id = p.active_release_id WHERE p.id = $1 FOR UPDATE OF p`,
      [projectId, releaseId],
    );
    const row = rows[0];
    if (row === undefined) throw new Error(`no release ${releaseId} of ${projectId}`);
    if (row.active_id === releaseId) return;
    if (row.active_hash !== row.base_hash) throw new ReleaseOvertaken();
    if (row.active_id !== null) {
      await client.query("UPDATE plinth.releases SET status = 'superseded' WHERE id = $1", [row.active_id]);
    }
    await client.query(
      `UPDATE plinth.releases SET status = 'active', error = NULL, activated_at = now(), finished_at = now() WHERE id = $1`,
      [releaseId],
    );
    await client.query("UPDATE plinth.projects SET active_release_id = $2 WHERE id = $1", [projectId, releaseId]);
    await client.query("SELECT pg_notify($1, $2)", [RELEASE_CHANNEL, projectId]);
    await bumpEpoch(client, projectId);
  });
}

export class ReleaseOvertaken extends Error {
  constructor() {
    super("the live release is not the one that this plan starts from");
    this.name = "ReleaseOvertaken";
  }
}
