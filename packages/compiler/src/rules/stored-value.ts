// Converts a calculated time or duration to a field's value. In: an expression and its SQL. Out: SQL that is null if no
// field can hold the value, because JSON couldn't represent it.
import type { Expression } from "@plinth/expression";

/** The years of RFC 3339. */
const NOTATED = `_v._a >= '0001-01-01T00:00:00Z'::timestamptz and _v._a < '9999-12-31T23:59:59.999999Z'::timestamptz + '1 microsecond'::interval`;
/** The durations that the format can represent. */
const COUNTED = `_v._a >= '0'::interval and _v._a < '1000000 days'::interval`;

/** A value that is only read from a field is already valid. */
export function keptValue(sql: string, { kind, type }: Expression): string {
  if (kind !== "operation") return sql;
  if (type.kind === "datetime") return within(sql, NOTATED);
  // Days and hours must have the same sign: `P3D` minus `PT1H` would be three days and minus an hour.
  return type.kind === "duration" ? within(`justify_hours(${sql})`, COUNTED) : sql;
}

function within(sql: string, condition: string): string {
  return `(select case when ${condition} then _v._a end from (select ${sql} as _a offset 0) _v)`;
}
