// Which changes records may stand in the way of, and what can be written instead. In: changes, and what a step of a plan found.
// Out: fields with the kinds of mend that suit them; `mendField` in format/ writes one.
import type { Change } from "./change.ts";

/** As `FieldMend` names them. */
export type MendKind = "optional" | "default" | "fill" | "as_in";

/** What can be written so that records don't stand in the way of a change; none where only the records can be changed. */
export function mendsOf(change: Change): readonly MendKind[] {
  if (!change.classes.includes("data_dependent")) return [];
  if (change.kind === "field_added") return ["default", "fill", "optional"];
  if (change.kind !== "field_changed") return [];
  const becomesRequired = isOptional(change.before) && !isOptional(change.after);
  return becomesRequired ? ["fill", "optional"] : ["as_in"];
}

/** @param notation As a change tells it: "string? unique". */
function isOptional(notation: unknown): boolean {
  return typeof notation === "string" && /\?(\s|$)/.test(notation);
}

/** A field whose change records stand in the way of. */
export interface BlockedField {
  readonly entity: string;
  readonly field: string;
  readonly mends: readonly MendKind[];
}

/** @param violation "no value for price", of a step that reads the table. */
export function blockedFields(
  changes: readonly Change[],
  { table, violation }: { readonly table: string | null; readonly violation: string },
  tableOf: (entity: string) => string | undefined,
): readonly BlockedField[] {
  return changes.flatMap((change) => {
    const [entity = "", field, ...rest] = change.path.split(".");
    if (field === undefined || rest.length > 0 || tableOf(entity) !== table) return [];
    const mends = mendsOf(change);
    const named = new RegExp(`(?<![a-z0-9_])${field}(?![a-z0-9_])`).test(violation);
    return named && mends.length > 0 ? [{ entity, field, mends }] : [];
  });
}
