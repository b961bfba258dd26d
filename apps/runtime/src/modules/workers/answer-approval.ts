// Answers an approval. In: a run, the step whose approval was read, the answer, and the caller. Out: the run, due
// again. One approval takes one answer. The same answer by the same person changes nothing, so a request can be
// repeated if its reply was lost.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { principalId } from "../../project/principal.ts";
import { hasStarted, type RunRow, reaches, wasAsked } from "./run-view.ts";
import { readRunRow, type Steering, steerAll, type TableName } from "./steer.ts";

export interface ApprovalAnswer {
  /** The path of the step, as in the list of approvals. */
  readonly step: string;
  /**
   * Since when the approval waits, as it was read, in RFC 3339. An approval that a retry requested again doesn't match.
   * Null: whichever waits.
   */
  readonly since: string | null;
  readonly approved: boolean;
  readonly note: string | null;
}

/**
 * The caller must have one of the step's roles. @throws Fault not_found (also if the run is hidden), forbidden,
 * conflict (answered differently, or no longer waiting).
 */
export async function answerApproval(steering: Steering, answer: ApprovalAnswer): Promise<void> {
  const { runId, ...scoped } = steering;
  const { principal } = steering.context;
  const { step, approved, note } = answer;
  await steerAll(scoped, approved ? "approve" : "refuse", async (open, table) => {
    const run = await readRunRow(open, table, runId);
    const isAsked = wasAsked(principal, run, await approvalsOf(open, table, runId));
    // For other callers, the run does not exist.
    if (!isAsked && !principal.roles.includes("admin") && !hasStarted(principal, run)) throw new Fault("not_found");
    const approval = await lockApproval(open, table, runId, answer);
    if (approval === null)
      throw new Fault("conflict", { detail: `The run is not waiting for an approval at the step \`${step}\`.` });
    const by = principalId(principal);
    if (!approval.isMeant)
      throw new Fault("conflict", { detail: "The approval was requested again meanwhile. Read it again." });
    if (approval.answer !== null) {
      const { answer: given } = approval;
      const isSame = given.by === by && given.approved === approved && given.note === note;
      if (isSame) return { runIds: [], left: 0, changes: {} };
      throw new Fault("conflict", { detail: "The approval is already answered." });
    }
    if (!approval.isOpen) throw new Fault("conflict", { detail: "The run no longer waits for an answer." });
    refuseOthers(steering, run, approval);
    const kept = { approved, note, by, at: new Date().toISOString() };
    await open.query(`UPDATE ${table("waits")} SET "answer" = $3::jsonb WHERE "run_id" = $1 AND "path" = $2`, [
      runId,
      step,
      JSON.stringify(kept),
    ]);
    return { runIds: [runId], left: 0, changes: { path: step, note } };
  });
}

/** @throws Fault forbidden. */
function refuseOthers({ context: { principal } }: Steering, run: RunRow, { roles, bySelf }: LockedApproval): void {
  if (!roles.some((role) => principal.roles.includes(role)) || !reaches(principal, run.organization_id)) {
    throw new Fault("forbidden", { detail: `This needs one of the roles ${roles.join(", ")}.` });
  }
  const isActor = run.actor_kind === principal.kind && run.actor_id === principalId(principal);
  if (!bySelf && (isActor || hasStarted(principal, run))) {
    throw new Fault("forbidden", { detail: "You caused this run, so you can't approve it." });
  }
}

interface Approval {
  readonly kind: "approval";
  readonly roles: readonly string[];
}

/** All approvals of the run, answered or not. */
async function approvalsOf(open: TenantTransaction, table: TableName, runId: string): Promise<readonly Approval[]> {
  const { rows } = await open.query(
    `SELECT array_to_json("roles")::text FROM ${table("waits")} WHERE "run_id" = $1 AND "kind" = 'approval'`,
    [runId],
  );
  return rows.map(([roles = null]) => ({ kind: "approval", roles: JSON.parse(roles ?? "[]") as string[] }));
}

interface LockedApproval extends Approval {
  readonly bySelf: boolean;
  /** Null while it waits. An approval that ended with its run has none of these members. */
  readonly answer: { readonly approved?: boolean; readonly by?: string; readonly note?: string | null } | null;
  readonly isOpen: boolean;
  /** Whether it is the one that was read. */
  readonly isMeant: boolean;
}

async function lockApproval(
  open: TenantTransaction,
  table: TableName,
  runId: string,
  { step, since }: ApprovalAnswer,
): Promise<LockedApproval | null> {
  const { rows } = await open.query(
    `SELECT json_build_object('kind', 'approval', 'roles', w."roles", 'bySelf', w."by_self" IS NOT FALSE, 'answer', w."answer",
       'isOpen', r."ended_at" IS NULL AND NOT r."cancelled" AND s."status" IS NOT DISTINCT FROM 'waiting',
       'isMeant', $3::timestamptz IS NULL
         OR date_trunc('milliseconds', w."created_at") = date_trunc('milliseconds', $3::timestamptz))::text
     FROM ${table("waits")} w JOIN ${table("runs")} r ON r."id" = w."run_id"
       LEFT JOIN ${table("steps")} s ON s."run_id" = w."run_id" AND s."path" = w."path"
     WHERE w."run_id" = $1 AND w."path" = $2 AND w."kind" = 'approval' FOR UPDATE OF w`,
    [runId, step, since],
  );
  const [json = null] = rows[0] ?? [];
  return json === null ? null : (JSON.parse(json) as LockedApproval);
}
