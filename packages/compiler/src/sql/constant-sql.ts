// Writes constants of the blueprint (defaults, seeds, test rows). In: a JSON value and a field's type. Out: SQL, or the
// text that Postgres reads. It never passes an author's braces on to SQL.
import type { FieldType, JsonValue } from "@plinth/blueprint";
import { isScalar, sqlTypeOf } from "./column-type.ts";
import { quoteNumber, quoteText } from "./sql-text.ts";

/** A constant of the column's type, for DDL and statements. */
export function constantSql(value: JsonValue, type: FieldType): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number" && (type.kind === "int" || type.kind === "percent" || type.kind === "float"))
    return quoteNumber(value);
  const text = quoteText(postgresText(value, type));
  const sqlType = sqlTypeOf(type);
  return sqlType === "text" ? text : `${text}::${sqlType}`;
}

/** The value in Postgres's input format. */
export function postgresText(value: Exclude<JsonValue, null>, type: FieldType): string {
  if (type.kind === "point") return pointText(value);
  if (isArray(type) && Array.isArray(value)) return arrayText(value as readonly JsonValue[]);
  return typeof value === "string" && sqlTypeOf(type) !== "jsonb" ? value : jsonText(value);
}

function isArray(type: FieldType): boolean {
  return type.kind === "enum_set" || type.kind === "refs" || (type.kind === "list" && isScalar(type.of));
}

function jsonText(value: JsonValue): string {
  return JSON.stringify(value);
}

function pointText(value: JsonValue): string {
  const { lat, lng } = value as { readonly lat: number; readonly lng: number };
  return `(${lng},${lat})`;
}

function arrayText(items: readonly JsonValue[]): string {
  const texts = items.map((item) => {
    const text = typeof item === "string" ? item : jsonText(item);
    return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  });
  return `{${texts.join(",")}}`;
}
