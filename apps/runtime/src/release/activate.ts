// Makes a migrated release the live one. In: a transaction that contains the plan's switch. Out: the release is live
// after its commit. The switch, the epoch and the NOTIFY are one transaction, so no replica ever sees a part of it.
import { type Approval, type Bundle, isLegacy, type LegacyApproval } from "@plinth/bundle";
import type { PoolClient } from "pg";
import { bumpEpoch } from "../identity/epoch.ts";
import { hasReplies } from "../query/idempotency.ts";
import { StepRefused } from "./step-refused.ts";

export const RELEASE_CHANNEL = "plinth_release";

export const OVERTAKEN = "the live release is not the one that this plan starts from";

/**
 * The last part of its transaction, because it locks rows that every replica writes. The release stays unfinished until
 * the steps after the switch are done. @throws StepRefused if another release went live since this one was approved.
 */
export async function activateRelease(
  client: PoolClient,
  { projectId, releaseId, bundle }: { readonly projectId: string; readonly releaseId: string; readonly bundle: Bundle },
): Promise<void> {
  const { rows } = await client.query<{
    base_hash: string | null;
    active_id: string | null;
    active_hash: string | null;
    approval: string;
  }>(
    `SELECT r.base_hash, r.approval, p.active_release_id AS active_id, a.bundle_hash AS active_hash
     FROM plinth.projects p JOIN plinth.releases r ON r.id = $2 AND r.project_id = p.id
     LEFT JOIN plinth.releases a ON a.id = p.active_release_id WHERE p.id = $1 FOR UPDATE OF p`,
    [projectId, releaseId],
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`no release ${releaseId} of ${projectId}`);
  if (row.active_hash !== row.base_hash) throw new StepRefused(OVERTAKEN);
  if (row.active_id !== null) {
    await client.query("UPDATE plinth.releases SET status = 'superseded' WHERE id = $1", [row.active_id]);
    await client.query("DELETE FROM plinth.descriptions WHERE release_id = $1", [row.active_id]);
  }
  await client.query(
    "UPDATE plinth.releases SET status = 'active', error = NULL, activated_at = now(), finished_at = NULL WHERE id = $1",
    [releaseId],
  );
  const approval = JSON.parse(row.approval) as Approval | LegacyApproval;
  await client.query(
    "UPDATE plinth.projects SET active_release_id = $2, retains = $3, work_days = $5, webhook_concurrency = $6, webhook_days = $7, slug = coalesce($4, slug) WHERE id = $1",
    [
      projectId,
      releaseId,
      hasRetention(bundle),
      isLegacy(approval) ? null : approval.name,
      bundle.background.retentionDays ?? null,
      bundle.background.outbound?.concurrency ?? null,
      bundle.background.outbound?.retentionDays ?? null,
    ],
  );
  await client.query("SELECT pg_notify($1, $2)", [RELEASE_CHANNEL, projectId]);
  await bumpEpoch(client, projectId);
}

/** Whether the project has a retention for records or replies. */
function hasRetention(bundle: Bundle): boolean {
  return hasReplies(bundle) || bundle.entities.some((entity) => entity.retentionDays !== null);
}
