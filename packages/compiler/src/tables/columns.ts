// Chooses a field's column. In: a field. Out: its column with its default in Postgres, and its foreign key, as data. It
// never writes SQL statements; `ddl.ts` does.
import { type Field, type FieldType, targetOf } from "@plinth/blueprint";
import type { Column, ForeignKey } from "@plinth/bundle";
import { type Catalog, entityOf } from "../sql/catalog.ts";
import { isServed, sqlTypeOf } from "../sql/column-type.ts";
import { constantSql } from "../sql/constant-sql.ts";
import { constraintName } from "../sql/sql-text.ts";

export function columnOf(field: Field): Column {
  return {
    name: field.name,
    sqlType: sqlTypeOf(field.type),
    nullable: field.optional,
    default: columnDefaultOf(field),
    identity: false,
    ...(field.type.kind === "secret" ? { encrypted: true } : {}),
  };
}

/** Defaults that Postgres itself can fill in; the id, the current user and the organization come with the statement. */
export function columnDefaultOf(field: Field): string | null {
  if (field.default === null) return implicitDefaults.get(field.declared ? "" : field.name) ?? null;
  switch (field.default.kind) {
    case "literal":
      return constantSql(field.default.value, field.type);
    case "now":
      return nowAs(field.type);
    case "today":
      return "(now() at time zone 'UTC')::date";
    case "current_user_id":
    case "current_org":
      return null;
  }
}

function nowAs(type: FieldType): string {
  if (type.kind === "date") return "(now() at time zone 'UTC')::date";
  return type.kind === "time" ? "(now() at time zone 'UTC')::time" : "now()";
}

const implicitDefaults: ReadonlyMap<string, string> = new Map([
  ["version", "1"],
  ["created_at", "now()"],
  ["updated_at", "now()"],
]);

/**
 * The runtime's statements handle referrers of a deleted record: only there can they be reported, counted and audited.
 */
export function foreignKeysOf(table: string, fields: readonly Field[], catalog: Catalog): readonly ForeignKey[] {
  return fields.filter(isServed).flatMap((field) => {
    const target = targetOf(field.type);
    if (target === null) return [];
    const name = constraintName(table, [field.name], "fkey");
    return [{ name, column: field.name, table: entityOf(catalog, target).table, onDelete: "no action" as const }];
  });
}
