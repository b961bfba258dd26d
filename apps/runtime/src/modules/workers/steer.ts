// People's actions on runs: cancel here, retry in `retry.ts`, settle calls in `settle.ts`. In: a run, or all runs of a
// workflow, and the caller. Out: the runs, due again. The change and its lines in the audit log are one
// transaction.
import type { ProjectScope, TenantTransaction } from "@plinth/postgres";
import { Fault, type RunKind } from "@plinth/service";
import { isBlocking } from "../../events/run-order.ts";
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

/**
 * The steps that the run has completed are compensated as declared. If a step could not be undone, it is undone again.
 * A failed run that blocks later runs of its record is given up. @throws Fault not_found, conflict.
 */
export async function cancelRun(steering: Steering): Promise<void> {
  await steer(steering, "cancel", async (open, table) => {
    const { rowCount } = await open.query(
      `UPDATE ${table("runs")} r SET "cancelled" = true, "error" = NULL, "ended_at" = NULL,
         "status" = CASE WHEN "ended_at" IS NULL THEN "status" ELSE 'queued' END
       WHERE "id" = $1 AND ("ended_at" IS NULL OR "status" = 'undo_failed' OR "status" = 'failed' AND ${isBlocking("r")})`,
      [steering.runId],
    );
    if (rowCount === 0) throw await whyNot(open, table, steering.runId, "The run has already ended.");
    const failed = await open.query(
      `SELECT "path" FROM ${table("steps")} WHERE "run_id" = $1 AND "status" = 'failed' AND "path" LIKE '%/compensate/%'`,
      [steering.runId],
    );
    await beginAnew(
      open,
      table,
      idsOf(failed.rows).map((path) => [steering.runId, path]),
    );
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
  /** Matching runs that were left out, because later runs of their records have begun. */
  readonly overtaken: number;
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
  const { rows } = await open.query(`SELECT count(*)::text FROM ${table("runs")} r WHERE ${meant}`, values);
  return Number(rows[0]?.[0] ?? 0);
}

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

export interface Steered {
  readonly runIds: readonly string[];
  readonly left: number;
  readonly overtaken?: number;
  readonly changes: Changes;
  /** Those of the runs that are due. Default: all. */
  readonly due?: readonly string[];
}

/** Writes a line in the audit log for each run, and makes it due. */
export async function steerAll(
  { scope, context }: Scoped,
  operation: string,
  work: (open: TenantTransaction, table: TableName) => Promise<Steered>,
): Promise<BulkDone> {
  const { release, incoming, principal, projectId } = context;
  return scope.transaction(async (open) => {
    const {
      runIds,
      left,
      overtaken = 0,
      changes,
      due = runIds,
    } = await work(open, (name) => `${release.schema}."workers__${name}"`);
    if (runIds.length === 0) return { runs: 0, left, overtaken };
    const actor = actorOf(principal);
    await open.query(
      `INSERT INTO ${release.schema}."audit_log" ("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes")
       SELECT $1, $2, $3, $4, 'run', _id, $6::jsonb FROM unnest($5::uuid[]) _id`,
      [incoming.id, actor.kind, actor.id, operation, runIds, JSON.stringify(changes)],
    );
    if (due.length === 0) return { runs: runIds.length, left, overtaken };
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await open.client.query(
      `INSERT INTO plinth.due_runs (project_id, run_id, worker, due_at)
       SELECT $1, r."id", CASE WHEN r."kind" = 'worker' THEN r."workflow" ELSE '' END, clock_timestamp()
       FROM ${release.schema}."workers__runs" r WHERE r."id" = ANY($2::uuid[])
       ON CONFLICT (project_id, run_id) DO UPDATE
         SET due_at = clock_timestamp(), woken = due_runs.woken OR due_runs.handed_at IS NOT NULL`,
      [projectId, due],
    );
    return { runs: runIds.length, left, overtaken };
  });
}

/** @throws Fault not_found. */
export async function readRunRow(open: TenantTransaction, table: TableName, runId: string): Promise<RunRow> {
  const { rows } = await open.query(`SELECT to_json(r)::text FROM ${table("runs")} r WHERE r."id" = $1`, [runId]);
  const [json = null] = rows[0] ?? [];
  if (json === null) throw new Fault("not_found");
  return JSON.parse(json) as RunRow;
}

const WAITS_FOR_PERSON =
  "The run waits for a person, because the answer to a call was lost. Report how the call ended (`done` or `fail`), or repeat it (`retry`).";

export async function whyNot(open: TenantTransaction, table: TableName, runId: string, why: string): Promise<Fault> {
  const { rows } = await open.query(`SELECT "status" FROM ${table("runs")} WHERE "id" = $1`, [runId]);
  const [row] = rows;
  if (row === undefined) return new Fault("not_found");
  return new Fault("conflict", { detail: row[0] === "needs_attention" ? WAITS_FOR_PERSON : why });
}
