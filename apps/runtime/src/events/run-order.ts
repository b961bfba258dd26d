// The order of the runs for one record (`ordered: record`). In: a workflow and a record, or a run in SQL. Out: the key
// that its runs share, and whether a run must wait for an earlier one.
import type { BundleWorkflow } from "@plinth/bundle";

/** With this beginning, a failed run blocks the later ones. No name of a workflow contains a colon. */
const BLOCKING = "block:";

export function orderKeyOf(
  { name, ordered, afterFailure }: Pick<BundleWorkflow, "name" | "ordered" | "afterFailure">,
  recordId: string | null,
): string | null {
  if (ordered === null) return null;
  return `${afterFailure === "block" ? BLOCKING : ""}${name}/${recordId ?? ""}`;
}

/** SQL: whether failures of this run block later ones. @param run The name of its row. */
export const isBlocking = (run: string): string => `starts_with(${run}."order_key", '${BLOCKING}')`;

/** SQL: whether the run waits for an earlier one of its record. @param runs The table. @param run The name of its row. */
export function waitsForEarlier(runs: string, run: string): string {
  return `EXISTS (SELECT 1 FROM ${runs} _o WHERE _o."order_key" = ${run}."order_key" AND _o."seq" < ${run}."seq"
    AND (_o."ended_at" IS NULL OR ${isBlocking(run)} AND _o."status" IN ('failed', 'undo_failed', 'needs_attention')))`;
}

/** SQL: whether a later run of its record has begun, so that this one would run out of order. */
export function isOvertaken(runs: string, run: string): string {
  return `(${run}."event_id" IS NOT NULL AND EXISTS (SELECT 1 FROM ${runs} _o
    WHERE _o."order_key" = ${run}."order_key" AND _o."seq" > ${run}."seq" AND _o."started_at" IS NOT NULL))`;
}
