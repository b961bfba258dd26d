// People's actions on runs: cancel, say how a call with an unknown result ended; `retry.ts` has the retry. In: a run, or
// all runs of a workflow, and the caller. Out: the runs, due again. The change and its lines in the audit log are one
// transaction.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { Fault, type RunKind } from "@plinth/service";
import type { ModuleContext } from "../../http/contracts.ts";
import { beginAnew } from "../../workflows/step-rows.ts";
import { actorOf } from "../audit.ts";
import type { RunRow } from "./run-view.ts";

/** A request, and the access to its rows. */
export interface Scoped {
  readonly scope: ProjectScope;
  readonly context: ModuleContext;
}

export interface Steering extends Scoped {
  readonly runId: string;
}

/** The steps that the run has completed are compensated as declared. @throws Fault not_found, conflict. */
export async function cancelRun(steering: Steering): Promise<void> {
  await steer(steering, "cancel", async (open, table) => {
    const { rowCount } = await open.query(
      `UPDATE ${table("runs")} SET "cancelled" = true WHERE "id" = $1 AND "ended_at" IS NULL`,
      [steering.runId],
    );
    if (rowCount === 0) throw await whyNot(open, table, steering.runId, "The run has already ended.");
    return {};
  });
}

/** Runs that one request retries or cancels. The next request handles the rest. */
export const BULK_MAX = 500;

export interface Bulk {
  readonly workflow: string;
  /** An action may have a worker's name. */
  readonly kind: RunKind;
  /** Later runs aren't included, because the caller hasn't seen them. RFC 3339. */
  readonly until: string;
}

export interface BulkDone {
  readonly runs: number;
  /** The number of further matching runs, which were too many for one request. */
  readonly left: number;
}

/** Cancels unfinished runs that were created before `until`, the oldest first. */
export async function cancelAll(scoped: Scoped, { workflow, kind, until }: Bulk): Promise<BulkDone> {
  return steerAll(scoped, "cancel", async (open, table) => {
    const meant = `"workflow" = $1 AND "kind" = $2 AND "ended_at" IS NULL AND NOT "cancelled" AND "created_at" <= $3::timestamptz`;
    const values = [workflow, kind, until];
    const { rows } = await open.query(
      `UPDATE ${table("runs")} SET "cancelled" = true
       WHERE "id" IN (SELECT "id" FROM ${table("runs")} WHERE ${meant} ORDER BY "id" LIMIT ${BULK_MAX} FOR UPDATE SKIP LOCKED)
       RETURNING "id"`,
      values,
    );
    return { runIds: idsOf(rows), left: await countOf(open, table, meant, values), changes: {} };
  });
}

export function idsOf(rows: readonly (readonly (string | null)[])[]): readonly string[] {
  return rows.flatMap(([id = null]) => (id === null ? [] : [id]));
}

export async function countOf(
  open: TenantTransaction,
  table: TableName,
  meant: string,
  values: readonly string[],
): Promise<number> {
  const { rows } = await open.query(`SELECT count(*)::text FROM ${table("runs")} WHERE ${meant}`, values);
  return Number(rows[0]?.[0] ?? 0);
}

/** How a call ended, as somebody has found out from the other service. */
export type Ending =
  | { readonly kind: "done"; readonly output: unknown; readonly note: string | null }
  | { readonly kind: "failed"; readonly note: string | null };

/**
 * Says how calls with unknown results ended, in a run that needs attention. Done: the step completes with that output.
 * Failed: as after a last attempt, so that `on_error` applies, and earlier steps are compensated. The run continues
 * when all such calls are settled. @param path The step of one call; null for all such calls. @throws Fault not_found,
 * conflict, validation_failed (the step made no such call).
 */
export async function settleRun(steering: Steering, path: string | null, ending: Ending): Promise<void> {
  const { runId, ...scoped } = steering;
  await steerAll(scoped, ending.kind === "done" ? "mark_done" : "mark_failed", async (open, table) => {
    const { rowCount } = await open.query(
      `SELECT 1 FROM ${table("runs")} WHERE "id" = $1 AND "status" = 'needs_attention' FOR UPDATE`,
      [runId],
    );
    if (rowCount === 0)
      throw await whyNot(open, table, runId, "Only a run that needs attention can be settled by hand.");
    const error = {
      code: "marked_failed",
      message: ending.note ?? "Somebody checked the run and marked it as failed.",
    };
    const result =
      ending.kind === "done" ? ["completed", asJson(ending.output), null] : ["failed", null, asJson(error)];
    const settled = await open.query(
      `UPDATE ${table("steps")} SET "status" = $2, "output" = $3::jsonb, "error" = $4::jsonb, "ended_at" = clock_timestamp()
       WHERE "run_id" = $1 AND "status" = 'started' AND ($5::text IS NULL OR "path" = $5) RETURNING "path"`,
      [runId, ...result, path],
    );
    const paths = idsOf(settled.rows).toSorted();
    if (paths.length === 0) {
      if (path !== null) throw new Fault("validation_failed", { errors: [notLost] });
      throw new Fault("conflict", { detail: "No step of the run waits for an answer. Retry the run instead." });
    }
    if (ending.kind === "failed") await beginAnew(open, table, await handlersOf(open, table, runId, paths));
    const { rows } = await open.query(
      `UPDATE ${table("runs")} r SET "status" = 'queued', "ended_at" = NULL, "error" = NULL WHERE "id" = $1
         AND NOT EXISTS (SELECT 1 FROM ${table("steps")} s WHERE s."run_id" = r."id" AND s."status" = 'started') RETURNING "id"`,
      [runId],
    );
    const [first = null] = paths;
    const which = paths.length === 1 ? { path: first } : { paths };
    return { runIds: [runId], left: 0, changes: { ...which, note: ending.note }, stays: rows.length === 0 };
  });
}

/** Steps that handled an earlier failure of these, before the run was retried. They handle this one, too. */
async function handlersOf(
  open: TenantTransaction,
  table: TableName,
  runId: string,
  paths: readonly string[],
): Promise<readonly (readonly [runId: string, path: string])[]> {
  const { rows } = await open.query(
    `SELECT s."path" FROM ${table("steps")} s, unnest($2::text[]) AS _f (path) WHERE s."run_id" = $1
       AND s."status" IN ('completed', 'skipped') AND starts_with(s."path", _f.path || '/on_error/')`,
    [runId, paths],
  );
  return idsOf(rows).map((path) => [runId, path]);
}

function asJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

const notLost = { path: "/step", code: "not_allowed", message: "The step has no call with an unknown result." };

export type TableName = (name: string) => string;

type Changes = Readonly<Record<string, unknown>>;

export async function steer(
  { runId, ...scoped }: Steering,
  operation: string,
  work: (open: TenantTransaction, table: TableName) => Promise<Changes>,
): Promise<void> {
  await steerAll(scoped, operation, async (open, table) => {
    return { runIds: [runId], left: 0, changes: await work(open, table) };
  });
}

interface Steered {
  readonly runIds: readonly string[];
  readonly left: number;
  readonly changes: Changes;
  /** Whether the runs stay as they are, and are not due. Default: no. */
  readonly stays?: boolean;
}

/** Writes a line in the audit log for each run, and makes it due unless it stays. */
export async function steerAll(
  { scope, context }: Scoped,
  operation: string,
  work: (open: TenantTransaction, table: TableName) => Promise<Steered>,
): Promise<BulkDone> {
  const { release, incoming, principal, projectId } = context;
  return scope.transaction(async (open) => {
    const { runIds, left, changes, stays = false } = await work(open, (name) => `${release.schema}."workers__${name}"`);
    if (runIds.length === 0) return { runs: 0, left };
    const actor = actorOf(principal);
    await open.query(
      `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
       SELECT $1, $2, $3, $4, 'run', _id, $6::jsonb FROM unnest($5::uuid[]) _id`,
      [incoming.id, actor.kind, actor.id, operation, runIds, JSON.stringify(changes)],
    );
    if (stays) return { runs: runIds.length, left };
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await open.client.query(
      `INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at)
       SELECT $1, r."id", CASE WHEN r."kind" = 'worker' THEN r."workflow" ELSE '' END, clock_timestamp()
       FROM ${release.schema}."workers__runs" r WHERE r."id" = ANY($2::uuid[])
       ON CONFLICT (project_id, run_id) DO UPDATE
         SET due_at = clock_timestamp(), woken = due_runs.woken OR due_runs.handed_at IS NOT NULL`,
      [projectId, runIds],
    );
    return { runs: runIds.length, left };
  });
}

/** @throws Fault not_found. */
export async function readRunRow(open: TenantTransaction, table: TableName, runId: string): Promise<RunRow> {
  const { rows } = await open.query(`SELECT to_json(r)::text FROM ${table("runs")} r WHERE r."id" = $1`, [runId]);
  const [json = null] = rows[0] ?? [];
  if (json === null) throw new Fault("not_found");
  return JSON.parse(json) as RunRow;
}

export async function whyNot(open: TenantTransaction, table: TableName, runId: string, why: string): Promise<Fault> {
  const { rowCount } = await open.query(`SELECT 1 FROM ${table("runs")} WHERE "id" = $1`, [runId]);
  return rowCount === 0 ? new Fault("not_found") : new Fault("conflict", { detail: why });
}
