// Settles calls with unknown results, which a person has looked up at the other service: of one run, or of many at once.
// In: the runs, the step, and how the calls ended. Out: the runs, due again after the last such call of each.
import type { TenantTransaction } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import { isOvertaken } from "../../events/run-order.ts";
import { beginAnew } from "../../workflows/step-rows.ts";
import type { BackgroundOf } from "./logs.ts";
import { keepOrder, retryMeant } from "./retry.ts";
import {
  BULK_MAX,
  type Bulk,
  type BulkDone,
  countOf,
  idsOf,
  type Scoped,
  type Steering,
  steerAll,
  type TableName,
  whyNot,
} from "./steer.ts";

/** How a call ended, as somebody has found out from the other service. */
export type Ending =
  | { readonly kind: "done"; readonly output: unknown; readonly note: string | null }
  | { readonly kind: "failed"; readonly note: string | null };

const WHICH =
  "Only a run that needs attention can be settled by hand, or one with a step that could not be undone: report it as `done` when you have undone it.";

/** `again`: nobody has looked, because the service acts once for each key. */
export type BulkEnding = Ending | { readonly kind: "again" };

export interface Settling {
  /** The step of one call; null for all such calls. */
  readonly path: string | null;
  readonly outOfOrder: boolean;
}

/**
 * Done: the step completes with that output. Failed: as after a last attempt, so that `on_error` applies, and earlier
 * steps are compensated. The run continues when all such calls are settled. @throws Fault not_found, conflict,
 * validation_failed (the step made no such call).
 */
export async function settleRun(steering: Steering, { path, outOfOrder }: Settling, ending: Ending): Promise<void> {
  const { runId, ...scoped } = steering;
  await steerAll(scoped, operationOf(ending), async (open, table) => {
    const { rowCount } = await open.query(
      `SELECT 1 FROM ${table("runs")} WHERE "id" = $1 AND "status" IN (${ending.kind === "done" ? "'undo_failed', " : ""}'needs_attention') FOR UPDATE`,
      [runId],
    );
    if (rowCount === 0) throw await whyNot(open, table, runId, WHICH);
    await keepOrder(open, table, steering, outOfOrder);
    const settled = await settleCalls(open, table, [runId], { isMeant: `s."path" = $5`, path }, ending);
    const paths = settled.paths.map(([, each]) => each).toSorted();
    if (paths.length === 0) {
      if (path !== null) throw new Fault("validation_failed", { errors: [notLost] });
      throw new Fault("conflict", { detail: "No step of the run waits for an answer. Retry the run instead." });
    }
    const [first = null] = paths;
    const which = paths.length === 1 ? { path: first } : { paths };
    return { runIds: [runId], left: 0, changes: { ...which, note: ending.note }, due: settled.due };
  });
}

interface BulkSettling extends Bulk {
  /** Only calls of this step, for a list without the numbers of its members; null for all. */
  readonly step: string | null;
}

/** The same for all runs of a workflow that need attention since before `until`, the oldest first. */
export async function settleAll(
  scoped: Scoped,
  { workflow, kind, until, step }: BulkSettling,
  ending: BulkEnding,
  backgroundOf: BackgroundOf,
): Promise<BulkDone> {
  return steerAll(scoped, operationOf(ending), async (open, table) => {
    const isStep = `regexp_replace(s."path", '/[0-9]+', '', 'g')`;
    const values = [workflow, kind, until, ...(step === null ? [] : [step])];
    const meant = `r."workflow" = $1 AND r."kind" = $2 AND r."status" = 'needs_attention' AND r."ended_at" <= $3::timestamptz
      AND EXISTS (SELECT 1 FROM ${table("steps")} s WHERE s."run_id" = r."id" AND s."status" = 'started'
        ${step === null ? "" : `AND ${isStep} = $4`})`;
    if (ending.kind === "again") {
      return { ...(await retryMeant(open, table, meant, values, backgroundOf)), changes: { calls: "again" } };
    }
    const inOrder = `${meant} AND NOT ${isOvertaken(table("runs"), "r")}`;
    const { rows } = await open.query(
      `SELECT r."id" FROM ${table("runs")} r WHERE ${inOrder} ORDER BY r."id" LIMIT ${BULK_MAX} FOR UPDATE SKIP LOCKED`,
      values,
    );
    const runIds = idsOf(rows);
    const which = { isMeant: `${isStep} = $5`, path: step };
    const { due } = await settleCalls(open, table, runIds, which, ending);
    const left = await countOf(open, table, inOrder, values);
    const overtaken = (await countOf(open, table, meant, values)) - left;
    return { runIds, left, overtaken, changes: { path: step, note: ending.note }, due };
  });
}

interface Calls {
  /** SQL over the step `s` and its parameter, which is `path`; ignored if that is null. */
  readonly isMeant: string;
  readonly path: string | null;
}

async function settleCalls(
  open: TenantTransaction,
  table: TableName,
  runIds: readonly string[],
  { isMeant, path }: Calls,
  ending: Ending,
): Promise<{ readonly paths: readonly (readonly [runId: string, path: string])[]; readonly due: readonly string[] }> {
  const message = ending.note ?? "Somebody checked the run and marked it as failed.";
  const result =
    ending.kind === "done"
      ? ["completed", asJson(ending.output), null]
      : ["failed", null, asJson({ code: "marked_failed", message })];
  const settled = await open.query(
    `UPDATE ${table("steps")} s SET "status" = $2, "output" = $3::jsonb, "error" = $4::jsonb, "ended_at" = clock_timestamp()
     WHERE s."run_id" = ANY($1::uuid[]) AND ($5::text IS NULL OR ${isMeant}) AND (s."status" = 'started'
       OR s."status" = 'failed' AND s."path" LIKE '%/compensate/%'
         AND EXISTS (SELECT 1 FROM ${table("runs")} r WHERE r."id" = s."run_id" AND r."status" = 'undo_failed'))
     RETURNING s."run_id"::text, s."path"`,
    [runIds, ...result, path],
  );
  const paths = settled.rows.map(([runId = "", at = ""]) => [runId ?? "", at ?? ""] as const);
  if (ending.kind === "failed") await beginAnew(open, table, await handlersOf(open, table, paths));
  const { rows } = await open.query(
    `UPDATE ${table("runs")} r SET "status" = 'queued', "ended_at" = NULL, "error" = NULL WHERE "id" = ANY($1::uuid[])
       AND NOT EXISTS (SELECT 1 FROM ${table("steps")} s WHERE s."run_id" = r."id" AND (s."status" = 'started'
         OR r."status" = 'undo_failed' AND s."status" = 'failed' AND s."path" LIKE '%/compensate/%')) RETURNING "id"`,
    [paths.map(([runId]) => runId)],
  );
  return { paths, due: idsOf(rows) };
}

/** Steps that handled an earlier failure of these, before the run was retried. They handle this one, too. */
async function handlersOf(
  open: TenantTransaction,
  table: TableName,
  paths: readonly (readonly [runId: string, path: string])[],
): Promise<readonly (readonly [runId: string, path: string])[]> {
  const { rows } = await open.query(
    `SELECT s."run_id"::text, s."path" FROM ${table("steps")} s, unnest($1::uuid[], $2::text[]) AS _f (run_id, path)
     WHERE s."run_id" = _f.run_id AND s."status" IN ('completed', 'skipped') AND starts_with(s."path", _f.path || '/on_error/')`,
    [paths.map(([runId]) => runId), paths.map(([, path]) => path)],
  );
  return rows.map(([runId = "", path = ""]) => [runId ?? "", path ?? ""]);
}

function operationOf({ kind }: BulkEnding): string {
  switch (kind) {
    case "done":
      return "mark_done";
    case "failed":
      return "mark_failed";
    case "again":
      return "retry";
  }
}

function asJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

const notLost = { path: "/step", code: "not_allowed", message: "The step has no call with an unknown result." };
