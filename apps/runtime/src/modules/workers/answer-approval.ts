// The answer to an approval. In: a run, the step whose approval was read, the answer, and who gives it. Out: the run, due again. One
// approval takes one answer; the same answer of the same person once more changes nothing, so that a lost reply is asked for again.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { principalId } from "../../project/principal.ts";
import { hasStarted, type RunRow, reaches, wasAsked } from "./run-view.ts";
import { readRunRow, type Steering, steerAll, type TableName } from "./steer.ts";

export interface ApprovalAnswer {
  /** The path of the step, as the list of approvals gives it. */
  readonly step: string;
  /** Since when the approval waits, as it was read, in RFC 3339: one that a retry asks for anew is not meant. Null: whichever waits. */
  readonly since: string | null;
  readonly approved: boolean;
  readonly note: string | null;
}

/**
 * By a holder of one of the step's roles.
 * @throws Fault not_found (also where the run is hidden), forbidden, conflict (answered otherwise, or waiting no longer).
 */
export async function answerApproval(steering: Steering, answer: ApprovalAnswer): Promise<void> {
  const { runId, ...scoped } = steering;
  const { principal } = steering.context;
  const { step, approved, note } = answer;
  await steerAll(scoped, approved ? "approve" : "refuse", async (open, table) => {
    const run = await readRunRow(open, table, runId);
    const isAsked = wasAsked(principal, run, await approvalsOf(open, table, runId));
    // To others it is as if there were no such run.
    if (!isAsked && !principal.roles.includes("admin") && !hasStarted(principal, run)) throw new Fault("not_found");
    const approval = await lockApproval(open, table, runId, answer);
    if (approval === null) throw new Fault("conflict", { detail: `It waits for no approval at the step \`${step}\`.` });
    const by = principalId(principal);
    if (!approval.isMeant) throw new Fault("conflict", { detail: "It was asked for anew since: read it again." });
    if (approval.answer !== null) {
      const { answer: given } = approval;
      const isSame = given.by === by && given.approved === approved && given.note === note;
      if (isSame) return { runIds: [], left: 0, changes: {} };
      throw new Fault("conflict", { detail: "It is answered already." });
    }
    if (!approval.isOpen) throw new Fault("conflict", { detail: "It waits for an answer no longer." });
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
    throw new Fault("forbidden", { detail: `This takes one of the roles ${roles.join(", ")}.` });
  }
  const isActor = run.actor_kind === principal.kind && run.actor_id === principalId(principal);
  if (!bySelf && (isActor || hasStarted(principal, run))) {
    throw new Fault("forbidden", { detail: "Who caused this run may not approve it." });
  }
}

interface Approval {
  readonly kind: "approval";
  readonly roles: readonly string[];
}

/** All of the run, answered or not. */
async function approvalsOf(open: TenantTransaction, table: TableName, runId: string): Promise<readonly Approval[]> {
  const { rows } = await open.query(
    `SELECT array_to_json("roles")::text FROM ${table("waits")} WHERE "run_id" = $1 AND "kind" = 'approval'`,
    [runId],
  );
  return rows.map(([roles = null]) => ({ kind: "approval", roles: JSON.parse(roles ?? "[]") as string[] }));
}

interface LockedApproval extends Approval {
  readonly bySelf: boolean;
  /** Null while it waits. What ended with its run has none of these members. */
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
