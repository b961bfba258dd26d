// Writes the statement that reads one record. In: an entity and who asks. Out: SQL and slots.
// It never writes, but for the audit row of entities whose reads are kept.
import { quoteIdentifier } from "@plinth/postgres";
import { type Asker, type EntityView, living, permission } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { readableFields, recordJson, shownValue } from "./readable-fields.ts";
import type { Filter } from "./reading/filter.ts";
import { FilterWriter } from "./reading/filter-sql.ts";
import { type Selection, WHOLE } from "./reading/selection.ts";
import { SelectionWriter } from "./reading/selection-sql.ts";
import type { Statement } from "./statement.ts";
import { auditOf } from "./trace.ts";

/**
 * Columns: the record. No row: missing or hidden.
 * @param key The record is the one that it holds for, of which there can be one in each organization; null: the one of that id.
 */
export function readStatement(
  view: EntityView,
  asker: Asker,
  selection: Selection,
  key: Filter | null = null,
): Statement {
  const parameters = new Parameters(view.fields);
  const visible = permission(view, "read", asker, parameters, { record: "_r" }).sql;
  const fields = readableFields(view, asker.roles);
  const filters = new FilterWriter(asker, parameters);
  const named = key === null ? null : filters.holds(key, view, "_r");
  const end = key === null ? "" : " limit 2";
  const where = (): string =>
    `where ${named ?? `_r."id" = ${parameters.recordId()}`} and ${visible}${living(view, "_r")}${end}`;
  let text: string;
  if (view.entity.audit === "all") {
    const json = jsonOf(view, asker, parameters, filters, selection);
    const read = { view, operation: "read", changes: "null::jsonb", from: "_seen", row: "_seen" };
    const audit = auditOf(parameters, [read]);
    text =
      `with _seen as (select _r."id", ${json} as _json from ${view.from} _r ${where()}), ${audit} ` +
      `select _seen._json from _seen`;
  } else if (selection !== WHOLE) {
    text = `select ${jsonOf(view, asker, parameters, filters, selection)} from ${view.from} _r ${where()}`;
  } else if (fields.every((each) => each.rules === null)) {
    const columns = fields.map(
      ({ field }) => `${shownValue(view, asker, field, "_r", parameters)} as ${quoteIdentifier(field.name)}`,
    );
    text = `select row_to_json(_x)::text from (select ${columns.join(", ")} from ${view.from} _r ${where()}) _x`;
  } else {
    text = `select ${recordJson(view, asker, "_r", parameters)} from ${view.from} _r ${where()}`;
  }
  // What records bring with them depends on how many there are.
  const lane = selection.expansions.length > 0 ? "earned" : "fast";
  return { text, slots: parameters.slots, lane, keep: true, writes: view.entity.audit === "all" };
}

function jsonOf(
  view: EntityView,
  asker: Asker,
  parameters: Parameters,
  filters: FilterWriter,
  selection: Selection,
): string {
  if (selection === WHOLE) return recordJson(view, asker, "_r", parameters);
  const writer = new SelectionWriter(asker, parameters, filters);
  return `(${writer.record(view, "_r", selection)})::text`;
}
