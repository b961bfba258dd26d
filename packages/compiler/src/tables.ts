// Lays out a project's schema. In: the model. Out: its tables, the system's first, as data.
// It never writes SQL statements; `ddl.ts` does.
import type { Entity, Field, FieldType, Model } from "@plinth/blueprint";
import type { Check, Column, ForeignKey, Index, Privilege, Table } from "@plinth/bundle";
import { type Catalog, entityOf, referenceOf } from "./catalog.ts";
import { constraintName, quoteNumber, quoteText } from "./sql-text.ts";
import { systemTables } from "./system-tables.ts";

const rowPrivileges: readonly Privilege[] = ["select", "insert", "update", "delete"];

export function tablesOf(model: Model, catalog: Catalog): readonly Table[] {
  const tables = [...systemTables, ...model.entities.map((entity) => tableOf(entity, catalog))];
  const names = new Set(tables.map((table) => table.name));
  if (names.size !== tables.length) throw new Error(`two tables of ${model.project} have one name`);
  return tables;
}

function tableOf(entity: Entity, catalog: Catalog): Table {
  const table = entity.plural;
  return {
    name: table,
    columns: entity.fields.map(columnOf),
    uniques: entity.uniques.map((columns) => ({ name: constraintName(table, columns, "key"), columns })),
    indexes: indexesOf(entity),
    foreignKeys: entity.fields.flatMap((field) => foreignKeyOf(table, field, catalog)),
    checks: entity.fields.flatMap((field) => checkOf(table, field)),
    privileges: rowPrivileges,
  };
}

function columnOf(field: Field): Column {
  return {
    name: field.name,
    sqlType: sqlTypeOf(field.type),
    nullable: field.optional,
    default: columnDefaultOf(field),
    identity: false,
  };
}

export function sqlTypeOf(type: FieldType): string {
  switch (type.kind) {
    case "string":
    case "text":
    case "email":
    case "enum":
      return "text";
    case "int":
      return "integer";
    case "bool":
      return "boolean";
    case "datetime":
      return "timestamptz";
    case "uuid":
    case "user_ref":
    case "ref":
      return "uuid";
  }
}

/** What Postgres itself can fill in; the id and the current user come with the statement. */
export function columnDefaultOf(field: Field): string | null {
  if (field.default === null) return implicitDefaults.get(field.declared ? "" : field.name) ?? null;
  switch (field.default.kind) {
    case "literal":
      return literalOf(field.default.value);
    case "now":
      return "now()";
    case "current_user_id":
      return null;
  }
}

const implicitDefaults: ReadonlyMap<string, string> = new Map([
  ["version", "1"],
  ["created_at", "now()"],
  ["updated_at", "now()"],
]);

function literalOf(value: string | number | boolean): string {
  if (typeof value === "string") return quoteText(value);
  return typeof value === "number" ? quoteNumber(value) : String(value);
}

/** Newest first is what lists ask for most; foreign keys need theirs for restricted deletes and for rules. */
function indexesOf(entity: Entity): readonly Index[] {
  const columns = entity.fields.filter((field) => referenceOf(field.type) !== null).map((field) => [field.name]);
  if (entity.fields.some((field) => field.name === "created_at")) columns.push(["created_at", "id"]);
  const unique = new Set(entity.uniques.map((names) => names[0]));
  return columns
    .filter(([first, second]) => second !== undefined || !unique.has(first ?? ""))
    .map((names) => ({ name: constraintName(entity.plural, names, "idx"), columns: names }));
}

function foreignKeyOf(table: string, field: Field, catalog: Catalog): readonly ForeignKey[] {
  const target = referenceOf(field.type);
  if (target === null) return [];
  return [
    {
      name: constraintName(table, [field.name], "fkey"),
      column: field.name,
      table: entityOf(catalog, target).table,
      onDelete: field.optional ? "set null" : "restrict",
    },
  ];
}

function checkOf(table: string, field: Field): readonly Check[] {
  const name = constraintName(table, [field.name], "check");
  switch (field.type.kind) {
    case "enum":
      return [{ name, column: field.name, rule: { kind: "one_of", values: field.type.values } }];
    case "string":
      return [{ name, column: field.name, rule: { kind: "max_length", max: field.type.max } }];
    default:
      return [];
  }
}
