// SQL that the source database runs to read rows: keys, ids, and values in the text form that a cell compares. In: tables of the
// foreign schema. Out: expressions over the row `_t`. The database computes the ids, so nobody has to remember the id of each
// key.
import type { TransferField } from "@plinth/control/router";
import type { ForeignColumn, ForeignReference, ForeignTable } from "../foreign-schema.ts";
import { enumNames } from "../write/names.ts";

export interface SourceTables {
  readonly byId: ReadonlyMap<string, ForeignTable>;
  /** Whether the server has trim_scale (13). */
  readonly trimsScale: boolean;
  /** Names of stored values in the source's schema, if they differ. */
  readonly enums?: EnumNames;
}

/** Enum > stored value > its name in the schema. */
export type EnumNames = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Tables are `schema.name`. Either part can contain a dot, so the schema is passed separately. */
export function tableName({ space, name }: Pick<ForeignTable, "space" | "name">): string {
  return `${quoted(space ?? "public")}.${quoted(name)}`;
}

/** The columns that define the order of rows. Empty if the table has no key. */
export function keyColumns(table: ForeignTable): readonly string[] {
  if (table.key !== null) return table.key.columns;
  const required = (column: string): boolean => table.columns.find(({ name }) => name === column)?.optional === false;
  return table.uniques.find(({ columns }) => columns.every(required))?.columns ?? [];
}

/** The key of a row as one text, for reports and for the position of an import. */
export function keyText(table: ForeignTable, row: string): string {
  const columns = keyColumns(table).map((name) => `${row}.${quoted(name)}::text`);
  if (columns.length === 1) return columns[0] ?? "";
  return columns.length === 0 ? `${row}."_place"::text` : `json_build_array(${columns.join(", ")})::text`;
}

/**
 * Makes an id from a hash of the import's salt and the key: a person who knows a key of the source can't compute the id. It has
 * the form of a custom UUID (RFC 9562, version 8). For a numeric key, its lowest 48 bits come first, so that consecutive records
 * stay together, and an index over their ids grows at its end.
 */
function madeId(salt: string, entity: string, key: string, isNumber: boolean): string {
  const hash = `md5(${literal(`${salt}/${entity}/`)} || ${key}::text)`;
  const first = `lpad(to_hex((${key})::bigint & 281474976710655), 12, '0')`;
  const marked = isNumber ? `overlay(${hash} placing ${first} from 1)` : hash;
  return `overlay(overlay(${marked} placing '8' from 13) placing '8' from 17)::uuid::text`;
}

/** The type of a key with one column. Null for other keys. */
function keyKind(table: ForeignTable): ForeignColumn["type"]["kind"] | null {
  const [only, second] = keyColumns(table);
  if (second !== undefined) return null;
  return table.columns.find(({ name }) => name === only)?.type.kind ?? null;
}

function idOfKey(
  table: ForeignTable,
  value: string,
  { salt, entity }: { readonly salt: string; readonly entity: string },
): string {
  const kind = keyKind(table);
  if (kind === "uuid") return `${value}::text`;
  return madeId(salt, entity, value, kind === "int" || kind === "bigint");
}

/** The id of the record that this row becomes. */
export function idOf(
  table: ForeignTable,
  row: string,
  target: { readonly salt: string; readonly entity: string },
): string {
  const [only, second] = keyColumns(table);
  const isOne = only !== undefined && second === undefined;
  return idOfKey(table, isOne ? `${row}.${quoted(only)}` : keyText(table, row), target);
}

/** The id of a reference's target. Null if its column is null. */
export function referredId(
  column: string,
  reference: ForeignReference,
  target: { readonly table: ForeignTable; readonly salt: string; readonly entity: string },
): string {
  const value = `_t.${quoted(column)}`;
  const at = reference.columns.indexOf(column);
  const referred = reference.targetColumns[at] ?? "";
  const key = keyColumns(target.table);
  if (key.length === 1 && key[0] === referred) {
    return idOfKey(target.table, value, target);
  }
  // The reference uses a unique column other than the key, or one of several columns, so the target's row is read for its key.
  const rest = reference.columns.map(
    (name, place) => `_o.${quoted(reference.targetColumns[place] ?? "")} = _t.${quoted(name)}`,
  );
  return `(SELECT ${idOf(target.table, "_o", target)} FROM ${tableName(target.table)} _o WHERE ${rest.join(" AND ")})`;
}

/** A column's value in the text form in which the cell writes the stored one. */
export function valueText(column: ForeignColumn, field: TransferField, { trimsScale, enums }: SourceTables): string {
  const { type } = column;
  const own = `_t.${quoted(column.name)}`;
  // A single-precision number is converted through its text, because a direct cast to double precision adds digits.
  const value = type.kind === "float" ? `${own}::text::float8${column.list ? "[]" : ""}` : own;
  if (type.kind === "enum")
    return enumText(
      value,
      column.list,
      type.enum.values.map(({ name }) => name),
      enums?.get(type.enum.name),
    );
  // A cast of a single address to text adds the length of its mask: 10.0.0.1/32.
  if (type.kind === "as_text" && type.name === "inet") return addressText(value, column.list);
  if (column.list)
    return field.sqlType.endsWith("[]") ? `${value}::${field.sqlType}::text` : `to_jsonb(${value})::text`;
  if (type.kind === "datetime" && !type.zoned && field.sqlType === "timestamptz") {
    return `(${value} AT TIME ZONE 'UTC')::text`;
  }
  if (type.kind === "json") return `${value}::jsonb::text`;
  if (type.kind === "decimal") return decimalText(`${value}::numeric`, trimsScale);
  return `${value}::text`;
}

function addressText(value: string, list: boolean): string {
  if (!list) return `abbrev(${value})`;
  const members = `SELECT abbrev(_m) FROM unnest(${value}) WITH ORDINALITY AS _u (_m, _place) ORDER BY _place`;
  return `CASE WHEN ${value} IS NOT NULL THEN ARRAY(${members})::text END`;
}

function decimalText(value: string, trimsScale: boolean): string {
  if (trimsScale) return `trim_scale(${value})::text`;
  return `CASE WHEN ${value}::text LIKE '%.%' THEN rtrim(rtrim(${value}::text, '0'), '.') ELSE ${value}::text END`;
}

/** Values that are not words have another name in the blueprint. */
function enumText(
  value: string,
  list: boolean,
  values: readonly string[],
  named: ReadonlyMap<string, string> = new Map(),
): string {
  const nameOf = (stored: string): string => named.get(stored) ?? stored;
  const written = enumNames(named.size === 0 ? values : [...named.values()]);
  const renamed = values
    .map((from) => [from, written.get(nameOf(from)) ?? nameOf(from)] as const)
    .filter(([from, to]) => from !== to);
  const cases = (one: string): string =>
    renamed.length === 0
      ? one
      : `CASE ${one} ${renamed.map(([from, to]) => `WHEN ${literal(from)} THEN ${literal(to)}`).join(" ")} ELSE ${one} END`;
  if (!list) return cases(`${value}::text`);
  if (renamed.length === 0) return `${value}::text[]::text`;
  const members = `SELECT ${cases("_m")} FROM unnest(${value}::text[]) WITH ORDINALITY AS _u (_m, _place) ORDER BY _place`;
  return `CASE WHEN ${value} IS NOT NULL THEN ARRAY(${members})::text END`;
}

/** The same hash as in the cell (apps/runtime/src/transfers/canonical.ts). */
export function rowHash(texts: readonly string[]): string {
  return `('x' || left(md5(row(${texts.join(", ")})::text), 15))::bit(60)::bigint`;
}
