// Receives a publication, and checks its shape, signature, hashes and base. In: control's message. Out: a stored
// release, ready to migrate. It never runs a statement of the plan, and never stores a plan that nobody approved.
import {
  type Approval,
  approvalProblem,
  type ControlPublicKeys,
  isLegacy,
  type LegacyApproval,
  legacyApprovalIsSigned,
} from "@plinth/bundle";
import { inTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { Pool, PoolClient } from "pg";
import { storeDescription } from "../project/stored-description.ts";
import type { PublicationReader, ReadPublication } from "./read-publication.ts";

/** The cell's data about control, and about itself. */
export interface ControlTrust {
  readonly cellId: string;
  readonly controlKeys: ControlPublicKeys;
  /** Signed approvals before there were keys. It only counts for releases that are already stored. */
  readonly secret: string;
}

/** @throws Fault malformed_json, validation_failed (shape), forbidden (not what was approved), conflict (another base), not_found. */
export async function receiveRelease(
  { pool, read, ...trust }: ControlTrust & { readonly pool: Pool; readonly read: PublicationReader },
  projectId: string,
  body: Uint8Array,
): Promise<{ readonly releaseId: string }> {
  const found = await read(body);
  if (found.kind === "malformed") throw new Fault("malformed_json", { cause: new Error(found.message) });
  if (found.kind === "undecodable") {
    const errors = found.problems.map(({ path, message }) => ({ path, code: "invalid", message }));
    throw new Fault("validation_failed", { detail: "The cell can't read this publication.", errors });
  }
  const { publication, description } = found;
  authorize(publication, projectId, trust);
  await inTransaction(pool, async (client) => {
    await storeRelease(client, publication);
    await storeDescription(client, publication.releaseId, description);
  });
  return { releaseId: publication.releaseId };
}

function authorize(publication: ReadPublication, projectId: string, trust: ControlTrust): void {
  const { approval, bundleHash, planHash } = publication;
  if (publication.projectId !== projectId) refuse("The publication is for another project.");
  const problem = problemOf(approval, trust);
  if (problem !== null) refuse(problem);
  if (approval.projectId !== publication.projectId || approval.releaseId !== publication.releaseId) {
    refuse("The approval is for another release.");
  }
  if (bundleHash !== approval.bundleHash) refuse("The bundle is not the one that was approved.");
  if (planHash !== approval.planHash) refuse("The plan is not the one that was approved.");
}

function problemOf(approval: Approval | LegacyApproval, trust: ControlTrust): string | null {
  if (!isLegacy(approval)) {
    return approvalProblem(approval, { cell: trust.cellId, keys: trust.controlKeys, now: Date.now() });
  }
  return legacyApprovalIsSigned(approval, trust.secret) ? null : "The approval is not signed by control.";
}

function refuse(detail: string): never {
  throw new Fault("forbidden", { detail });
}

/** Stores an approved publication. Its parts stay as they were sent. @throws Fault conflict, not_found. */
export async function storeRelease(client: PoolClient, publication: ReadPublication): Promise<void> {
  const { projectId, releaseId, bundle, plan, steps, approval } = publication;
  // The lock on the project's row makes publications to one project run one after another.
  const project = await client.query<{ active_hash: string | null; unfinished: boolean; error: string | null }>(
    `SELECT r.bundle_hash AS active_hash, r.finished_at IS NULL AS unfinished, r.error FROM plinth.projects p
     LEFT JOIN plinth.releases r ON r.id = p.active_release_id WHERE p.id = $1 FOR UPDATE OF p`,
    [projectId],
  );
  if (project.rows[0] === undefined) throw new Fault("not_found", { detail: "The cell doesn't know this project." });
  const others = await client.query<ReleaseRow>(
    `SELECT id, project_id, bundle_hash, plan_hash, base_hash, status, error, approval FROM plinth.releases
     WHERE id = $1 OR (project_id = $2 AND status IN ('received', 'migrating'))`,
    [releaseId, projectId],
  );
  const same = others.rows.find((row) => row.id === releaseId);
  if (same !== undefined) return resume(client, same, publication);
  if (isLegacy(approval)) refuse("An approval of this kind only works for a release that is already stored.");
  if (project.rows[0].active_hash !== approval.baseHash) {
    throw new Fault("conflict", { detail: "The plan starts from another release than the live one." });
  }
  const { active_hash: activeHash, unfinished, error } = project.rows[0];
  if (others.rows.length > 0 || (activeHash !== null && unfinished)) {
    throw new Fault("conflict", { detail: "Another release is being deployed." });
  }
  // A plan starts from the tables that the live release declares, and its last steps have not created all of them yet.
  if (error !== null) {
    throw new Fault("conflict", {
      detail: `A step of the live release has failed. Resume that deployment first. ${error}`,
    });
  }
  await client.query(
    `INSERT INTO plinth.releases (id, project_id, bundle, bundle_hash, base_hash, plan, plan_hash, approval, status)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'received')`,
    [
      releaseId,
      projectId,
      bundle,
      approval.bundleHash,
      approval.baseHash,
      plan,
      approval.planHash,
      JSON.stringify(approval),
    ],
  );
  await client.query(
    `INSERT INTO plinth.migration_ledger (release_id, step_id, ordinal, sql_hash, status)
     SELECT $1, s.id, s.ordinal, s.hash, 'pending'
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS s (id, hash, ordinal)`,
    [releaseId, steps.map(({ id }) => id), steps.map(({ hash }) => hash)],
  );
}

interface ReleaseRow {
  readonly id: string;
  readonly project_id: string;
  readonly bundle_hash: string;
  readonly plan_hash: string;
  readonly base_hash: string | null;
  readonly status: string;
  readonly error: string | null;
  readonly approval: string;
}

async function resume(client: PoolClient, row: ReleaseRow, publication: ReadPublication): Promise<void> {
  const { approval, projectId } = publication;
  const same =
    row.project_id === projectId &&
    row.bundle_hash === approval.bundleHash &&
    row.plan_hash === approval.planHash &&
    row.base_hash === approval.baseHash;
  if (!same) throw new Fault("conflict", { detail: "This release id belongs to other content." });
  if (row.status !== "failed" && !(row.status === "active" && row.error !== null)) return;
  if (!isNewer(approval, JSON.parse(row.approval) as Approval | LegacyApproval)) {
    refuse("The approval is already used. Control signs a new one for each attempt.");
  }
  // A failed release begins again; a live one continues with its unfinished steps. Completed steps stay completed.
  await client.query(
    `UPDATE plinth.releases SET status = CASE status WHEN 'failed' THEN 'received' ELSE status END, error = NULL,
       finished_at = NULL, approval = $2
     WHERE id = $1`,
    [row.id, JSON.stringify(approval)],
  );
}

/** Somebody who has intercepted an approval must not be able to start the release again with it. */
function isNewer(given: Approval | LegacyApproval, used: Approval | LegacyApproval): boolean {
  if (isLegacy(used)) return true;
  return !isLegacy(given) && Date.parse(given.signedAt) > Date.parse(used.signedAt);
}
