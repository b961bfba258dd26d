// Converts values between columns and JSON. In: a field's type and SQL of a value. Out: SQL of its JSON form, and back.
// The JSON never depends on a session's settings (date style, interval style, time zone).
import type { FieldType } from "@plinth/blueprint";
import type { BundleField } from "@plinth/bundle";
import { isScalar, sqlTypeOf } from "./column-type.ts";

/**
 * Numbers that JSON parsers can represent, booleans, arrays and objects are raw; everything else is a quoted string.
 */
export function wireOf(type: FieldType): BundleField["wire"] {
  switch (type.kind) {
    case "int":
    case "float":
    case "percent":
    case "bool":
    case "enum_set":
    case "json":
    case "object":
    case "list":
    case "i18n":
    case "point":
    case "vector":
    case "refs":
      return "raw";
    case "computed":
      return wireOfValue(type.expression.type.kind);
    default:
      return "string";
  }
}

function wireOfValue(kind: string): BundleField["wire"] {
  return kind === "int" || kind === "float" || kind === "bool" || kind === "list" || kind === "opaque"
    ? "raw"
    : "string";
}

/**
 * SQL of the wire value: text, or what Postgres prints as JSON. Null for null. `value` can occur in it several times.
 */
export function leaving(type: FieldType, value: string): string {
  switch (type.kind) {
    case "bigint":
    case "decimal":
    case "money":
    case "time":
      return `${value}::text`;
    case "percent":
      return `trim_scale(${value})`;
    case "date":
      return `to_char(${value}, 'YYYY-MM-DD')`;
    case "datetime":
      return `to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
    case "duration":
      return leavingDuration(value);
    case "enum_set":
      return `to_json(${value})`;
    case "list":
      return leavingList(type.of, value);
    case "point":
      return `case when ${value} is not null then json_build_object('lat', ${value}[1], 'lng', ${value}[0]) end`;
    case "vector":
      return `${value}::text::json`;
    default:
      return value;
  }
}

/** ISO 8601; days stay days, hours stay hours. */
function leavingDuration(value: string): string {
  const part = (name: string, letter: string): string =>
    `nullif(extract(${name} from ${value}), 0)::bigint || '${letter}'`;
  const seconds = `trim_scale(nullif(extract(second from ${value}), 0)) || 'S'`;
  const time = `'T' || nullif(concat(${part("hour", "H")}, ${part("minute", "M")}, ${seconds}), '')`;
  const parts = `nullif(concat(${part("day", "D")}, ${time}), '')`;
  return `case when ${value} is not null then concat('P', coalesce(${parts}, 'T0S')) end`;
}

function leavingList(of: FieldType, value: string): string {
  // Postgres prints arrays of these types in the wire form.
  if (!isScalar(of) || sqlTypeOf(of) === "text" || ["int", "float", "bool", "uuid"].includes(of.kind)) {
    return isScalar(of) ? `to_json(${value})` : value;
  }
  const items = `select ${leaving(of, "_item._value")} from unnest(${value}) with ordinality as _item(_value, _place) order by _item._place`;
  return `case when ${value} is not null then to_json(array(${items})) end`;
}

/**
 * SQL of the column's value from the input, which is text: a string unchanged, everything else as JSON. Null for null.
 */
export function entering(type: FieldType, value: string): string {
  switch (type.kind) {
    case "list":
      return isScalar(type.of) ? enteringArray(sqlTypeOf(type.of), value) : `${value}::jsonb`;
    case "enum_set":
      return enteringArray("text", value);
    case "refs":
      return enteringArray("uuid", value);
    case "point":
      return `point((${value}::text::jsonb ->> 'lng')::double precision, (${value}::text::jsonb ->> 'lat')::double precision)`;
    default:
      return `${value}::${sqlTypeOf(type)}`;
  }
}

function enteringArray(sqlType: string, value: string): string {
  // Whole numbers can be written as 1.0 in JSON.
  const cast = sqlType === "integer" ? "::numeric::integer" : `::${sqlType}`;
  const items = `select _item._value${cast} from jsonb_array_elements_text(${value}::text::jsonb) with ordinality as _item(_value, _place) order by _item._place`;
  return `case when ${value}::text is not null then array(${items}) end`;
}
