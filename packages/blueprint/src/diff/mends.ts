// Finds fixes for changes that existing records prevent. In: changes, and the violations that a step of a plan found.
// Out: fields with the kinds of fix that suit them; `mendField` in format/ writes one.
import type { Change } from "./change.ts";

/** As `FieldMend` names them. */
export type MendKind = "optional" | "default" | "fill" | "as_in";

/** The fixes in the blueprint's text; none if only the records can be changed. */
export function mendsOf(change: Change): readonly MendKind[] {
  if (!change.classes.includes("data_dependent")) return [];
  if (change.kind === "field_added") return ["default", "fill", "optional"];
  if (change.kind !== "field_changed") return [];
  const becomesRequired = isOptional(change.before) && !isOptional(change.after);
  return becomesRequired ? ["fill", "optional"] : ["as_in"];
}

/** @param notation In the form of a change: "string? unique". */
function isOptional(notation: unknown): boolean {
  return typeof notation === "string" && /\?(\s|$)/.test(notation);
}

/** A field whose change existing records prevent. */
export interface BlockedField {
  readonly entity: string;
  readonly field: string;
  readonly mends: readonly MendKind[];
}

/** @param violation "no value for price", from a step that reads the table. */
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
