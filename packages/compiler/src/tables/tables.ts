// Builds a project's schema. In: the model. Out: its tables, the system's first, as data. It never writes SQL
// statements; `ddl.ts` does.
import type { Entity, Model } from "@plinth/blueprint";
import type { ForeignKey, Privilege, Table, Unique } from "@plinth/bundle";
import { type Catalog, DELETED_AT, entityOf, joinTableOf } from "../sql/catalog.ts";
import { isStored } from "../sql/column-type.ts";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";
import { checksOf } from "./checks.ts";
import { columnOf, foreignKeysOf } from "./columns.ts";
import { exclusionsOf } from "./exclusions.ts";
import { indexesOf } from "./indexes.ts";
import { tableSearchOf } from "./search.ts";
import { systemTablesOf } from "./system-tables.ts";

const rowPrivileges: readonly Privilege[] = ["select", "insert", "update", "delete"];

export function tablesOf(model: Model, catalog: Catalog): readonly Table[] {
  const own = model.entities.flatMap((entity) => [tableOf(entity, model, catalog), ...joinTablesOf(entity, catalog)]);
  const tables = [...systemTablesOf(model, catalog), ...own];
  const names = new Set(tables.map((table) => table.name));
  if (names.size !== tables.length) throw new Error(`two tables of ${model.project} have the same name`);
  return tables;
}

function tableOf(entity: Entity, { searchLanguage }: Model, catalog: Catalog): Table {
  const table = entity.plural;
  const uniques = uniquesOf(entity);
  const exclusions = exclusionsOf(entity, catalog);
  const search = tableSearchOf(entity, searchLanguage);
  return {
    name: table,
    columns: entity.fields.filter(isStored).map(columnOf),
    primaryKey: ["id"],
    uniques,
    indexes: indexesOf(entity, uniques),
    foreignKeys: foreignKeysOf(table, entity.fields, catalog),
    checks: checksOf(entity, catalog),
    ...(exclusions.length === 0 ? {} : { exclusions }),
    ...(search === null ? {} : { search }),
    privileges: rowPrivileges,
  };
}

/** Only records that are not deleted must be unique: a deleted record blocks nothing until it is restored. */
function uniquesOf({ plural, uniques, softDelete }: Entity): readonly Unique[] {
  const where = softDelete ? `${q(DELETED_AT)} is null` : null;
  return uniques.map((columns) => ({ name: constraintName(plural, columns, "key"), columns, where }));
}

/** One table for each many-to-many field; its pairs are deleted with either record. */
function joinTablesOf(entity: Entity, catalog: Catalog): readonly Table[] {
  return entity.fields.flatMap((field) => {
    if (field.type.kind !== "refs") return [];
    const target = entityOf(catalog, field.type.entity);
    const { table, own, other } = joinTableOf({ name: entity.name, table: entity.plural }, field.name, target.name);
    const key = (column: string, to: string): ForeignKey => ({
      name: constraintName(table, [column], "fkey"),
      column,
      table: to,
      onDelete: "cascade",
    });
    const indexName = constraintName(table, [other], "idx");
    return [
      {
        name: table,
        columns: [own, other].map((name) => ({
          name,
          sqlType: "uuid",
          nullable: false,
          default: null,
          identity: false,
        })),
        primaryKey: [own, other],
        uniques: [],
        indexes: [{ name: indexName, method: "btree" as const, keys: [q(other)], where: null }],
        foreignKeys: [key(own, entity.plural), key(other, target.table)],
        checks: [],
        privileges: ["select", "insert", "delete"] as const,
      },
    ];
  });
}
