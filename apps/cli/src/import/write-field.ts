// Writes one column as a field. In: a column and what is known around it. Out: `name: notation`, or null where it can't
// come along (then a note says so).
import { checkName } from "@plinth/blueprint";
import type { ForeignColumn, ForeignTable, ForeignType, ImportNote } from "./foreign-schema.ts";
import { enumValue, snakeCase } from "./names.ts";

export interface FieldContext {
  readonly table: ForeignTable;
  /** Hands out field names, each once. */
  readonly taken: (wanted: string) => string;
  /** Column > field, filled as fields are written. */
  readonly names: Map<string, string>;
  readonly entityOf: (table: string) => string | null;
  readonly keyOf: (table: string) => readonly string[];
  readonly note: (kind: ImportNote["kind"], column: string, text: string) => void;
}

export function writeField(column: ForeignColumn, context: FieldContext): string | null {
  const type = writeType(column, context);
  if (type === null) return null;
  const plain = snakeCase(column.name, "field").slice(0, 50);
  const name = context.taken(checkName(plain, "field") === null ? plain : `${plain}_value`);
  context.names.set(column.name, name);
  if (name !== column.name && name !== snakeCase(column.name, ""))
    context.note("changed", column.name, `The field is called \`${name}\`.`);
  const has = (lists: readonly (readonly string[])[]): boolean =>
    lists.some((columns) => columns.length === 1 && columns[0] === column.name);
  const modifiers = [
    ...(has([...context.table.uniques, context.table.primaryKey])
      ? ["unique"]
      : has(context.table.indexes) && !isReference(column)
        ? ["index"]
        : []),
    ...type.modifiers,
  ];
  const fallback = writeDefault(column, type.notation, context);
  const optional = column.optional || needsOptional(column, context);
  const short = `${[`${type.notation}${optional ? "?" : ""}`, ...modifiers].join(" ")}${fallback === null ? "" : ` = ${fallback}`}`;
  if (column.comment === null && type.max === null) return `${name}: ${quoted(short)}`;
  const parts = [
    `type: ${quoted(type.notation)}`,
    ...(optional ? ["optional: true"] : []),
    ...modifiers.map((modifier) => longModifier(modifier)),
    ...(type.max === null ? [] : [`max: ${type.max}`]),
    ...(fallback === null ? [] : [`default: ${fallback}`]),
    ...(column.comment === null ? [] : [`help: ${JSON.stringify(column.comment)}`]),
  ];
  return `${name}: { ${parts.join(", ")} }`;
}

interface WrittenType {
  readonly notation: string;
  readonly modifiers: readonly string[];
  readonly max: number | null;
}

function plainType(notation: string, max: number | null = null): WrittenType {
  return { notation, modifiers: [], max };
}

function isReference(column: ForeignColumn): boolean {
  return column.references !== null;
}

function writeType(column: ForeignColumn, context: FieldContext): WrittenType | null {
  const reference = writeReference(column, context);
  if (reference !== null) return reference;
  const type = scalarType(column, context);
  if (type === null || !column.list) return type;
  if (column.type.kind === "enum") return { ...type, notation: type.notation.replace(/^enum/, "enum_set") };
  return plainType(`list<${type.notation}>`);
}

function writeReference(column: ForeignColumn, context: FieldContext): WrittenType | null {
  const { references } = column;
  if (references === null) return null;
  const entity = context.entityOf(references.table);
  const key = context.keyOf(references.table);
  if (entity === null || key.length !== 1 || key[0] !== references.column) {
    const text = `It refers to ${references.table}.${references.column}, which is not a record's id: only the value is kept.`;
    context.note("changed", column.name, text);
    return null;
  }
  if (references.onDelete === "set_default")
    context.note("changed", column.name, "`on delete set default` has no counterpart: a delete is refused instead.");
  const onDelete = references.onDelete === "cascade" || references.onDelete === "set_null" ? references.onDelete : null;
  return {
    notation: entity === "user" ? "user_ref" : `ref(${entity})`,
    modifiers: onDelete === null ? [] : [`on_delete(${onDelete})`],
    max: null,
  };
}

function scalarType(column: ForeignColumn, context: FieldContext): WrittenType | null {
  const changed = (text: string): void => context.note("changed", column.name, text);
  const { type } = column;
  switch (type.kind) {
    case "text":
      if (type.max === null || type.max > 10_000) return plainType("text");
      return type.max === 255 ? plainType("string") : plainType("string", column.list ? null : type.max);
    case "decimal":
      return plainType(decimalType(type, changed));
    case "datetime":
      if (!type.zoned) changed("It keeps no time zone in the source; its times count as UTC.");
      return plainType("datetime");
    case "duration":
      changed("Durations hold weeks to seconds; months and years have no fixed length and can't come along.");
      return plainType("duration");
    case "enum":
      return plainType(enumType(type.values, changed));
    case "as_text":
      changed(`${type.name} becomes text; give it a pattern where its form matters.`);
      return plainType("text");
    case "vector":
      if (type.dimensions !== null) return plainType(`vector(${type.dimensions})`);
      break;
    case "unsupported":
      break;
    default:
      return plainType(type.kind);
  }
  context.note("left_out", column.name, `Its type ${nameOf(type)} has no counterpart.`);
  return null;
}

function nameOf(type: ForeignType): string {
  return "name" in type ? type.name : type.kind;
}

function decimalType(type: { precision: number | null; scale: number }, changed: (text: string) => void): string {
  const precision = Math.min(type.precision ?? 38, 38);
  const scale = type.precision === null ? 10 : Math.max(0, Math.min(type.scale, precision - 1));
  if (precision !== type.precision || scale !== type.scale)
    changed(`Its numbers are kept with ${precision} digits, ${scale} of them after the point.`);
  return `decimal(${precision}, ${scale})`;
}

function enumType(values: readonly string[], changed: (text: string) => void): string {
  const written = values.map(enumValue);
  const renamed = values.filter((value, i) => value !== written[i]);
  if (renamed.length > 0)
    changed(`Values are words: ${renamed.map((value) => `"${value}" is \`${enumValue(value)}\``).join(", ")}.`);
  return `enum[${[...new Set(written)].join(", ")}]`;
}

/** A required reference can stand empty only until its data is brought over. */
function needsOptional(column: ForeignColumn, context: FieldContext): boolean {
  return (
    column.references !== null &&
    column.references.onDelete === "set_null" &&
    context.entityOf(column.references.table) !== null
  );
}

function writeDefault(column: ForeignColumn, notation: string, context: FieldContext): string | null {
  const fallback = column.default;
  if (fallback === null) return null;
  switch (fallback.kind) {
    case "now":
      return column.type.kind === "datetime" ? "now" : lost(context, column, "the current time");
    case "today":
      return column.type.kind === "date" ? "today" : lost(context, column, "the current date");
    case "updated_at":
      return lost(context, column, "the time of the last change; `updated_at` holds it");
    case "uuid":
      return lost(context, column, "a new UUID");
    case "autoincrement":
      return lost(context, column, "the next number; `sequence(prefix)` numbers records");
    case "expression":
      return lost(context, column, fallback.text);
    case "literal":
      return writeLiteral(fallback.value, notation, column, context);
  }
}

function writeLiteral(
  value: string | number | boolean | readonly (string | number | boolean)[],
  notation: string,
  column: ForeignColumn,
  context: FieldContext,
): string | null {
  if (column.references !== null || notation === "json" || column.type.kind === "duration" || column.list)
    return lost(context, column, JSON.stringify(value));
  if (column.type.kind === "enum") return enumValue(String(value));
  if (typeof value !== "string") return String(value);
  return /^(?:text|string|as_text)$/.test(notation) ? JSON.stringify(value) : value;
}

function lost(context: FieldContext, column: ForeignColumn, what: string): null {
  context.note("left_out", column.name, `Its default: ${what}.`);
  return null;
}

/** As YAML would not read it otherwise. */
function quoted(notation: string): string {
  return /^[\w?()[\], <>=.-]+$/.test(notation) && !notation.includes(": ") ? notation : JSON.stringify(notation);
}

function longModifier(modifier: string): string {
  const call = /^(\w+)\((\w+)\)$/.exec(modifier);
  return call === null ? `${modifier}: true` : `${call[1]}: ${call[2]}`;
}
