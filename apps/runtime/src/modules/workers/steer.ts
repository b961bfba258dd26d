// What people do about runs: cancel, go on from a step, approve. In: a run and who asks. Out: the run, due again. The change and its
// line in the audit log are one transaction.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";
import { principalId } from "../../project/principal.ts";
import { actorOf, writeAudit } from "../audit.ts";

export interface Steering {
  readonly scope: ProjectScope;
  readonly context: ModuleContext;
  readonly runId: string;
}

/** What the run has done is undone as its steps say. @throws Fault not_found, conflict. */
export async function cancelRun(steering: Steering): Promise<void> {
  await steer(steering, "cancel", async (open, table) => {
    const { rowCount } = await open.query(
      `UPDATE ${table("runs")} SET "cancelled" = true WHERE "id" = $1 AND "ended_at" IS NULL`,
      [steering.runId],
    );
    if (rowCount === 0) throw await whyNot(open, table, steering.runId, "It has ended already.");
    return {};
  });
}

/**
 * Goes on from the first step that did not complete, or from the one that is named: what came before it stands, it and what came
 * after it run again.
 * @throws Fault not_found, conflict.
 */
export async function retryRun(steering: Steering, from: string | null): Promise<void> {
  await steer(steering, "retry", async (open, table) => {
    const { rowCount } = await open.query(
      `UPDATE ${table("runs")} SET "status" = 'queued', "ended_at" = NULL, "error" = NULL, "output" = NULL, "cancelled" = false
       WHERE "id" = $1 AND "status" IN ('failed', 'cancelled', 'needs_attention')`,
      [steering.runId],
    );
    if (rowCount === 0) {
      throw await whyNot(
        open,
        table,
        steering.runId,
        "Only a run that failed, was cancelled or needs attention is retried.",
      );
    }
    const chosen = from === null ? [] : [from];
    if (from !== null) {
      const { rowCount: known } = await open.query(
        `SELECT 1 FROM ${table("steps")} WHERE "run_id" = $1 AND "path" = $2`,
        [steering.runId, from],
      );
      if (known === 0) throw new Fault("validation_failed", { errors: [noStep] });
    }
    // Waits end with their steps; undoing starts anew.
    for (const part of ["waits", "attempts", "steps"]) {
      await open.query(
        `DELETE FROM ${table(part)} p USING ${table("steps")} s WHERE p."run_id" = $1 AND s."run_id" = $1 AND p."path" = s."path"
         AND (s."status" NOT IN ('completed', 'skipped') OR s."path" LIKE '%/compensate/%'
           OR s."started_at" >= (SELECT f."started_at" FROM ${table("steps")} f WHERE f."run_id" = $1 AND f."path" = ANY($2::text[])))`,
        [steering.runId, `{${chosen.map((path) => `"${path}"`).join(",")}}`],
      );
    }
    return from === null ? {} : { from };
  });
}

const noStep = { path: "/from", code: "not_allowed", message: "The run has no such step." };

/** By a holder of one of the step's roles. @throws Fault not_found, forbidden, conflict. */
export async function approveRun(
  steering: Steering,
  given: { readonly approved: boolean; readonly note: string | null },
): Promise<void> {
  const { principal } = steering.context;
  await steer(steering, given.approved ? "approve" : "refuse", async (open, table) => {
    const { rows } = await open.query(
      `SELECT w."path", array_to_json(w."roles")::text, w."by_self"::text, r."actor_kind", r."actor_id"
       FROM ${table("waits")} w JOIN ${table("runs")} r ON r."id" = w."run_id"
         JOIN ${table("steps")} s ON s."run_id" = w."run_id" AND s."path" = w."path" AND s."status" = 'waiting'
       WHERE w."run_id" = $1 AND w."kind" = 'approval' AND w."answer" IS NULL AND r."ended_at" IS NULL ORDER BY w."created_at" LIMIT 1 FOR UPDATE OF w`,
      [steering.runId],
    );
    const [path = null, roles = null, bySelf = null, actorKind = null, actorId = null] = rows[0] ?? [];
    if (path === null || roles === null) {
      throw await whyNot(open, table, steering.runId, "It waits for no approval.");
    }
    const allowed = JSON.parse(roles) as readonly string[];
    if (!allowed.some((role) => principal.roles.includes(role))) {
      throw new Fault("forbidden", { detail: `This takes one of the roles ${allowed.join(", ")}.` });
    }
    if (bySelf === "false" && actorKind === principal.kind && actorId === principalId(principal)) {
      throw new Fault("forbidden", { detail: "Who caused this run may not approve it." });
    }
    const answer = { ...given, by: principalId(principal), at: new Date().toISOString() };
    await open.query(`UPDATE ${table("waits")} SET "answer" = $3::jsonb WHERE "run_id" = $1 AND "path" = $2`, [
      steering.runId,
      path,
      JSON.stringify(answer),
    ]);
    return { path, note: given.note };
  });
}

type TableName = (name: string) => string;

async function steer(
  { scope, context, runId }: Steering,
  operation: string,
  work: (open: TenantTransaction, table: TableName) => Promise<Readonly<Record<string, unknown>>>,
): Promise<void> {
  const { release, incoming, principal, projectId } = context;
  await scope.transaction(async (open) => {
    const changes = await work(open, (name) => `${release.schema}."workers__${name}"`);
    await writeAudit(open, release, {
      requestId: incoming.id,
      actor: actorOf(principal),
      operation,
      entity: "run",
      recordId: runId,
      changes,
    });
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await open.client.query(
      `INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at)
       SELECT $1, r."id", CASE WHEN r."kind" = 'worker' THEN r."workflow" ELSE '' END, clock_timestamp()
       FROM ${release.schema}."workers__runs" r WHERE r."id" = $2
       ON CONFLICT (project_id, run_id) DO UPDATE
         SET due_at = clock_timestamp(), woken = due_runs.woken OR due_runs.handed_at IS NOT NULL`,
      [projectId, runId],
    );
  });
}

async function whyNot(open: TenantTransaction, table: TableName, runId: string, why: string): Promise<Fault> {
  const { rowCount } = await open.query(`SELECT 1 FROM ${table("runs")} WHERE "id" = $1`, [runId]);
  return rowCount === 0 ? new Fault("not_found") : new Fault("conflict", { detail: why });
}
