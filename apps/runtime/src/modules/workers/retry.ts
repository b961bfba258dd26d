// Retries runs: one, or all that failed in the same way. In: the runs, the caller, and the definitions with which the
// runs began. Out: the runs, due again. Steps that run again are reset, and all others keep their results.
import { quoteIdentifier, type TenantTransaction } from "@plinth/postgres";
import { Fault, type RunKind, type StepStatus } from "@plinth/service";
import { isOvertaken } from "../../events/run-order.ts";
import { definitionOf } from "../../workflows/definition.ts";
import { handledSteps } from "../../workflows/handled-steps.ts";
import { laterStatuses } from "../../workflows/retry.ts";
import { ANEW, beginAnew } from "../../workflows/step-rows.ts";
import type { BackgroundOf } from "./logs.ts";
import {
  BULK_MAX,
  type Bulk,
  type BulkDone,
  countOf,
  type Scoped,
  type Steered,
  type Steering,
  steer,
  steerAll,
  type TableName,
  whyNot,
} from "./steer.ts";

const QUEUED = `"status" = 'queued', "ended_at" = NULL, "error" = NULL, "output" = NULL, "cancelled" = false`;

/**
 * Continues from the first step that did not complete, or from the named step. Earlier steps keep their results; it and
 * later steps run again. Steps that were compensated when the run failed also run again. Steps whose failure was
 * handled don't. @throws Fault not_found, conflict.
 */
export async function retryRun(
  steering: Steering,
  { from, outOfOrder }: { readonly from: string | null; readonly outOfOrder: boolean },
  backgroundOf: BackgroundOf,
): Promise<void> {
  await steer(steering, "retry", async (open, table) => {
    await keepOrder(open, table, steering, outOfOrder);
    const { rows } = await open.query(
      `UPDATE ${table("runs")} SET ${QUEUED}
       WHERE "id" = $1 AND "status" IN ('failed', 'undo_failed', 'cancelled', 'needs_attention') RETURNING ${RETRIED}`,
      [steering.runId],
    );
    const runs = retriedOf(rows);
    if (runs.length === 0) {
      const why = "Only a run that failed, was cancelled or needs attention can be retried.";
      throw await whyNot(open, table, steering.runId, why);
    }
    if (from !== null) {
      const { rowCount: known } = await open.query(
        `SELECT 1 FROM ${table("steps")} WHERE "run_id" = $1 AND "path" = $2`,
        [steering.runId, from],
      );
      if (known === 0) throw new Fault("validation_failed", { errors: [noStep] });
    }
    await resetSteps(open, table, { runs, from, backgroundOf });
    return { ...(from === null ? {} : { from }), ...(outOfOrder ? { out_of_order: true } : {}) };
  });
}

/** Retries runs that failed with a code in the day before `until`, the oldest first. */
export async function retryAll(
  scoped: Scoped,
  { workflow, kind, until }: Bulk,
  code: string,
  backgroundOf: BackgroundOf,
): Promise<BulkDone> {
  const meant = `r."workflow" = $1 AND r."kind" = $2 AND r."status" = 'failed' AND coalesce(r."error"->>'code', 'unknown') = $4
    AND r."ended_at" <= $3::timestamptz AND r."ended_at" > $3::timestamptz - interval '1 day'`;
  return steerAll(scoped, "retry", async (open, table) => {
    return {
      ...(await retryMeant(open, table, meant, [workflow, kind, until, code], backgroundOf)),
      changes: { code },
    };
  });
}

/** Retries at most `BULK_MAX` runs. @param meant SQL: which, over the row `r`. */
export async function retryMeant(
  open: TenantTransaction,
  table: TableName,
  meant: string,
  values: readonly string[],
  backgroundOf: BackgroundOf,
): Promise<Omit<Steered, "changes">> {
  const inOrder = `${meant} AND NOT ${isOvertaken(table("runs"), "r")}`;
  const { rows } = await open.query(
    `UPDATE ${table("runs")} SET ${QUEUED} WHERE "id" IN (
       SELECT r."id" FROM ${table("runs")} r WHERE ${inOrder} ORDER BY r."id" LIMIT ${BULK_MAX} FOR UPDATE SKIP LOCKED)
     RETURNING ${RETRIED}`,
    values,
  );
  const runs = retriedOf(rows);
  await resetSteps(open, table, { runs, from: null, backgroundOf });
  const left = await countOf(open, table, inOrder, values);
  const overtaken = (await countOf(open, table, meant, values)) - left;
  return { runIds: runs.map(({ id }) => id), left, overtaken };
}

const OVERTAKEN =
  "Later runs of the same record have begun since this one ended, so it would run out of order. To continue it after all of them, send `out_of_order: true`.";

/**
 * A run that continues must not write after later runs of its record. If it may, it gets the last place in their order.
 * @throws Fault conflict.
 */
export async function keepOrder(
  open: TenantTransaction,
  table: TableName,
  { runId, scope }: Steering,
  outOfOrder: boolean,
): Promise<void> {
  // Later runs that have not begun can't begin until this one is due again.
  await open.query(
    `SELECT 1 FROM ${table("runs")} o, ${table("runs")} r WHERE r."id" = $1 AND o."order_key" = r."order_key"
       AND o."seq" > r."seq" AND o."ended_at" IS NULL ORDER BY o."id" FOR UPDATE OF o`,
    [runId],
  );
  const { rowCount: overtaken } = await open.query(
    `SELECT 1 FROM ${table("runs")} r WHERE r."id" = $1 AND r."ended_at" IS NOT NULL AND ${isOvertaken(table("runs"), "r")}`,
    [runId],
  );
  if (overtaken === 0) return;
  if (!outOfOrder) throw new Fault("conflict", { detail: OVERTAKEN });
  await open.client.query("SET LOCAL ROLE NONE");
  const { rows } = await open.query("SELECT nextval(pg_get_serial_sequence('plinth.outbox', 'id'))::text", []);
  await open.client.query(`SET LOCAL ROLE ${quoteIdentifier(scope.worker)}`);
  await open.query(`UPDATE ${table("runs")} SET "seq" = $2::bigint WHERE "id" = $1`, [runId, rows[0]?.[0] ?? null]);
}

interface Retried {
  readonly id: string;
  readonly kind: RunKind;
  readonly workflow: string;
  /** The release with which it began. */
  readonly definition: string;
}

const RETRIED = `json_build_object('id', "id", 'kind', "kind", 'workflow', "workflow", 'definition', "definition")::text`;

function retriedOf(rows: readonly (readonly (string | null)[])[]): readonly Retried[] {
  return rows.flatMap(([json = null]) => (json === null ? [] : [JSON.parse(json) as Retried]));
}

/** SQL: a call of the step `s` has certainly failed, and is not only unanswered. */
const HAS_FAILED = `(s."status" = 'failed' AND (s."error"->>'code' = 'marked_failed'
  OR s."error"->>'code' = 'http_status' AND (s."error"->>'status')::integer < 500
    AND (s."error"->>'status')::integer NOT IN (${laterStatuses.join(", ")})))`;

interface Reset {
  readonly runs: readonly Retried[];
  readonly from: string | null;
  readonly backgroundOf: BackgroundOf;
}

/**
 * Resets the steps that did not complete and whose failure was not handled, and all that started with or after a chosen
 * step. Waits are deleted with their steps; compensations start again. A step that was reset before keeps its key: with
 * the first one, a service would return a result that it has undone since. A call that a service has refused gets
 * another key: with the same one, the service would repeat its saved refusal.
 */
async function resetSteps(open: TenantTransaction, table: TableName, reset: Reset): Promise<void> {
  const runIds = reset.runs.map(({ id }) => id);
  const undone = await undoneSteps(open, table, runIds);
  const handled = await handledPaths(open, table, reset);
  const place = `s."run_id"::text || '/' || s."path"`;
  const meant = `s."run_id" = ANY($1::uuid[])
    AND (s."status" NOT IN ('completed', 'skipped') AND (${place}) <> ALL($4::text[]) OR s."path" LIKE '%/compensate/%'
      OR (${place}) <> ALL($3::text[]) AND s."started_at" >= (SELECT f."started_at" FROM ${table("steps")} f WHERE f."run_id" = s."run_id" AND f."path" = $2))`;
  const keeps = `(s."key" LIKE '%/again' AND s."path" NOT LIKE '%/compensate/%' OR ${HAS_FAILED})`;
  const key = `CASE WHEN ${HAS_FAILED} THEN s."key" || '/again' ELSE s."key" END`;
  // Compensated steps are reset too, wherever they are.
  const values = [runIds, reset.from, undone.map((row) => row.join("/")), handled];
  for (const part of ["waits", "attempts"]) {
    await open.query(
      `DELETE FROM ${table(part)} p USING ${table("steps")} s WHERE s."run_id" = p."run_id" AND p."path" = s."path" AND ${meant}`,
      values,
    );
  }
  // In this order: the time of the chosen step is read from its row, and its key may have to stay.
  await open.query(`UPDATE ${table("steps")} s SET "key" = ${key}, ${ANEW} WHERE ${keeps} AND ${meant}`, values);
  const isReset = `s."status" = 'retrying' AND s."attempts" = 0`;
  await open.query(`DELETE FROM ${table("steps")} s WHERE NOT (${keeps}) AND NOT (${isReset}) AND ${meant}`, values);
  await beginAnew(open, table, undone);
}

/** `<run>/<path>` of the failed steps whose failure was handled. */
async function handledPaths(
  open: TenantTransaction,
  table: TableName,
  { runs, from, backgroundOf }: Reset,
): Promise<readonly string[]> {
  const { rows } = await open.query(
    `SELECT s."run_id"::text, json_object_agg(s."path", s."status")::text FROM ${table("steps")} s
     WHERE s."run_id" = ANY($1::uuid[]) GROUP BY s."run_id" HAVING bool_or(s."status" = 'failed')`,
    [runs.map(({ id }) => id)],
  );
  const states = new Map(rows.map(([id, json]) => [id, json]));
  const handled: string[] = [];
  for (const run of runs) {
    const json = states.get(run.id);
    // If its definition can't be read, the run fails before its first step.
    const background = json == null ? null : await backgroundOf(run.definition);
    const definition = background === null ? null : definitionOf(background, run);
    if (json == null || definition === null) continue;
    const byPath = new Map(Object.entries(JSON.parse(json) as Readonly<Record<string, StepStatus>>));
    handled.push(...handledSteps(definition.steps, byPath, from).map((path) => `${run.id}/${path}`));
  }
  return handled;
}

/** Completed steps with compensated parts, and the list members of such: rows of a run's id and a path. */
async function undoneSteps(
  open: TenantTransaction,
  table: TableName,
  runIds: readonly string[],
): Promise<readonly (readonly [runId: string, path: string])[]> {
  const { rows } = await open.query(
    `SELECT s."run_id"::text, s."path" FROM ${table("steps")} s
     WHERE s."run_id" = ANY($1::uuid[]) AND s."status" = 'completed' AND EXISTS (
       SELECT 1 FROM ${table("steps")} u WHERE u."run_id" = s."run_id" AND u."status" = 'completed'
         AND split_part(u."path", '/compensate/', 1) = regexp_replace(s."path", '/[0-9]+$', '')
         AND u."path" LIKE '%/compensate/%')`,
    [runIds],
  );
  return rows.map(([runId = "", path = ""]) => [runId ?? "", path ?? ""]);
}

const noStep = { path: "/from", code: "not_allowed", message: "This step does not exist in the run." };
