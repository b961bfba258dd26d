// Writes the statement that reads one record. In: an entity and who asks. Out: SQL and slots.
// It never writes, but for the audit row of entities whose reads are kept.
import { quoteIdentifier } from "@plinth/postgres";
import { type Asker, type EntityView, living, permission, wireValue } from "./entity-view.ts";
import { Parameters } from "./parameters.ts";
import { readableFields, recordJson } from "./readable-fields.ts";
import type { Statement } from "./statement.ts";
import { auditOf } from "./trace.ts";

/** Columns: the record. No row: missing or hidden. */
export function readStatement(view: EntityView, asker: Asker): Statement {
  const parameters = new Parameters(view.fields);
  const visible = permission(view, "read", asker, parameters, { record: "_r" }).sql;
  const fields = readableFields(view, asker.roles);
  const where = (): string => `where _r."id" = ${parameters.recordId()} and ${visible}${living(view, "_r")}`;
  let text: string;
  if (view.entity.audit === "all") {
    const json = recordJson(view, asker, "_r", parameters);
    const read = { view, operation: "read", changes: "null::jsonb", from: "_seen", row: "_seen" };
    const audit = auditOf(parameters, [read]);
    text =
      `with _seen as (select _r."id", ${json} as _json from ${view.from} _r ${where()}), ${audit} ` +
      `select _seen._json from _seen`;
  } else if (fields.every((each) => each.rules === null)) {
    const columns = fields.map(
      ({ field }) => `${wireValue(view, field, "_r", parameters)} as ${quoteIdentifier(field.name)}`,
    );
    text = `select row_to_json(_x)::text from (select ${columns.join(", ")} from ${view.from} _r ${where()}) _x`;
  } else {
    text = `select ${recordJson(view, asker, "_r", parameters)} from ${view.from} _r ${where()}`;
  }
  return { text, slots: parameters.slots, lane: "fast", keep: true, writes: view.entity.audit === "all" };
}
