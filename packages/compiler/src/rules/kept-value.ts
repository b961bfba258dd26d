// What a calculated time or duration is as the value of a field. In: an expression and its SQL. Out: SQL that is null where no
// field can hold the value: it would have no form in JSON.
import type { Expression } from "@plinth/expression";

/** Years that RFC 3339 can write. */
const NOTATED = `_v._a >= '0001-01-01T00:00:00Z'::timestamptz and _v._a < '9999-12-31T23:59:59.999999Z'::timestamptz + '1 microsecond'::interval`;
/** What the form of durations has digits for. */
const COUNTED = `_v._a >= '0'::interval and _v._a < '1000000 days'::interval`;

/** A field that is only named has such a value already. */
export function keptValue(sql: string, { kind, type }: Expression): string {
  if (kind !== "operation") return sql;
  if (type.kind === "datetime") return within(sql, NOTATED);
  // Days and hours of one sign: `P3D` less `PT1H` would be three days and minus an hour.
  return type.kind === "duration" ? within(`justify_hours(${sql})`, COUNTED) : sql;
}

function within(sql: string, condition: string): string {
  return `(select case when ${condition} then _v._a end from (select ${sql} as _a offset 0) _v)`;
}
