// Writes the statement that reads one record. In: an entity and the caller. Out: SQL and slots. It writes nothing,
// except the audit row for entities whose reads are audited.
import { quoteIdentifier } from "@plinth/postgres";
import { type EntityView, living, permission, type StatementCaller } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { readableFields, recordJson, shownValue } from "./readable-fields.ts";
import { auditOfExpanded, auditOfLooks } from "./reading/audited-reads.ts";
import { EVERYTHING, type Filter, filterShape } from "./reading/filter.ts";
import { FilterWriter } from "./reading/filter-sql.ts";
import { type Selection, selectionShape, WHOLE } from "./reading/selection.ts";
import { SelectionWriter } from "./reading/selection-sql.ts";
import { boundedJson } from "./reading/too-large.ts";
import type { Statement } from "./statement.ts";
import { type Audited, auditOf } from "./trace.ts";

/** The record to read, and the parts of it. */
export interface Reading {
  readonly selection: Selection;
  /** Finds the record by a key, of which there can be one in each organization; null: by its id. */
  readonly key: Filter | null;
  /** A write in the same request has its own line in the audit log, so the read needs none. */
  readonly isOfWrite: boolean;
}

export const PLAIN_READING: Reading = { selection: WHOLE, key: null, isOfWrite: false };

/** Equal for readings that share a statement. */
export function readingShape({ selection, key, isOfWrite }: Reading): string {
  const found = key === null ? "" : `${filterShape(key)} `;
  return `${isOfWrite ? "written " : ""}${found}${selectionShape(selection)}`;
}

/** Columns: the record. No row: missing or hidden. */
export function readStatement(
  view: EntityView,
  caller: StatementCaller,
  { selection, key, isOfWrite }: Reading,
): Statement {
  const parameters = new Parameters(view.fields);
  const visible = permission(view, "read", caller, parameters, { record: "_r" }).sql;
  const fields = readableFields(view, caller.roles);
  const filters = new FilterWriter(caller, parameters);
  const named = key === null ? null : filters.holds(key, view, "_r");
  const end = key === null ? "" : " limit 2";
  const where = (): string =>
    `where ${named ?? `_r."id" = ${parameters.recordId()}`} and ${visible}${living(view, "_r")}${end}`;
  const seen = { from: "_seen", id: '_seen."id"', where: "true" };
  const audited: readonly Audited[] = [
    ...(view.entity.audit === "all" && !isOfWrite ? [readOf(view)] : []),
    ...auditOfExpanded(view, caller, parameters, { selection, operand: filters.next }, () => seen),
    ...auditOfLooks(view, { filter: EVERYTHING, keys: [] }, selection),
  ];
  let text: string;
  if (audited.length > 0) {
    const json = jsonOf(view, caller, parameters, filters, selection);
    text =
      `with _seen as (select _r."id", ${json} as _json from ${view.from} _r ${where()}), ${auditOf(parameters, audited)} ` +
      `select _seen._json from _seen`;
  } else if (selection !== WHOLE) {
    text = `select ${jsonOf(view, caller, parameters, filters, selection)} from ${view.from} _r ${where()}`;
  } else if (fields.every((each) => each.rules === null)) {
    const columns = fields.map(
      ({ field }) => `${shownValue(view, caller, field, "_r", parameters)} as ${quoteIdentifier(field.name)}`,
    );
    text = `select row_to_json(_x)::text from (select ${columns.join(", ")} from ${view.from} _r ${where()}) _x`;
  } else {
    text = `select ${recordJson(view, caller, "_r", parameters)} from ${view.from} _r ${where()}`;
  }
  // The time depends on the number of related records.
  const lane = selection.expansions.length > 0 ? "earned" : "fast";
  return { text, slots: parameters.slots, lane, keep: true, writes: audited.length > 0 };
}

function readOf(view: EntityView): Audited {
  return { view, operation: "read", changes: "null::jsonb", from: "_seen", row: "_seen" };
}

function jsonOf(
  view: EntityView,
  caller: StatementCaller,
  parameters: Parameters,
  filters: FilterWriter,
  selection: Selection,
): string {
  if (selection === WHOLE) return recordJson(view, caller, "_r", parameters);
  const writer = new SelectionWriter(caller, parameters, filters);
  const json = writer.record(view, "_r", selection);
  return `(${selection.expansions.length > 0 ? boundedJson(json) : json})::text`;
}
