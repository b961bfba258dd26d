// Relations between the rows of a run's steps. In: rows by path. Out: the completed members of a list, the key of a
// step, and steps that are reset under other keys, because their effects were undone or belong to an earlier failure.
import type { TenantTransaction } from "@plinth/postgres";
import type { StepRow } from "./run.ts";

/** The path of the look-up among the steps. No step has this name. */
export const RECORD = "_record";
/** The path of the record that a step keeps, see `keepsRecord`. It begins with the name, like no path of a step. */
export const keptRecord = (path: string): string => `${RECORD}/${path}`;

/** The completed members of the step `path`, in the order of the list. */
export function completedMembers(rows: ReadonlyMap<string, StepRow>, path: string): readonly StepRow[] {
  const found = [...rows].flatMap(([at, row]) => {
    const member = at.startsWith(`${path}/`) ? at.slice(path.length + 1) : "";
    return row.status === "completed" && /^\d+$/.test(member) ? [{ row, at: Number(member) }] : [];
  });
  return found.sort((one, other) => one.at - other.at).map(({ row }) => row);
}

/**
 * The key of a step without a row. The key of a compensation contains the key of its step, because after a retry it
 * undoes another call than before. For a partly completed list, it contains the key of the first completed member,
 * because the list's own key would be the same after each retry.
 */
export function keyOf(runId: string, rows: ReadonlyMap<string, StepRow>, path: string): string {
  const [undone = "", ...rest] = path.split("/compensate/");
  if (rest.length === 0) return `${runId}/${path}`;
  const step = rows.get(undone);
  const key = step?.status === "completed" ? step.key : completedMembers(rows, undone)[0]?.key;
  return [key ?? `${runId}/${undone}`, ...rest].join("/compensate/");
}

/** Steps that handled an earlier failure of the step `path`, before the run was retried. */
export function earlierHandlers(rows: ReadonlyMap<string, StepRow>, path: string): readonly StepRow[] {
  return [...rows.values()].filter(
    (row) => row.path.startsWith(`${path}/on_error/`) && (row.status === "completed" || row.status === "skipped"),
  );
}

export function begunAnew(row: StepRow): StepRow {
  return { ...row, status: "retrying", key: `${row.key}/again`, attempts: 0, output: null, error: null, nextAt: null };
}

/** It has not been tried since it was reset. */
export function isAnew({ status, attempts }: Pick<StepRow, "status" | "attempts">): boolean {
  return status === "retrying" && attempts === 0;
}

/**
 * The same for stored steps. They get another key, because a service would answer the same key from its memory, and not
 * act again. @param steps Ids of runs, and paths.
 */
export async function beginAnew(
  open: TenantTransaction,
  table: (name: string) => string,
  steps: readonly (readonly [runId: string, path: string])[],
): Promise<void> {
  if (steps.length === 0) return;
  const these = `unnest($1::uuid[], $2::text[]) AS _u (run_id, path)`;
  const values = [steps.map(([runId]) => runId), steps.map(([, path]) => path)];
  for (const part of ["waits", "attempts"]) {
    await open.query(
      `DELETE FROM ${table(part)} p USING ${these} WHERE p."run_id" = _u.run_id AND p."path" = _u.path`,
      values,
    );
  }
  await open.query(
    `UPDATE ${table("steps")} s SET "key" = s."key" || '/again', ${ANEW}
     FROM ${these} WHERE s."run_id" = _u.run_id AND s."path" = _u.path`,
    values,
  );
}

/** SQL: the values of a step that is reset. */
export const ANEW = `"status" = 'retrying', "attempts" = 0, "output" = NULL, "error" = NULL, "next_at" = NULL, "ended_at" = NULL`;
