// Writes DDL of tables and their parts. In: parts of a table, under their current names. Out: statements with the
// placeholders {schema} and {worker}. It never decides what to change or in which order; the planner does.
import type {
  Column,
  Exclusion,
  ForeignKey,
  Index,
  Privilege,
  SqlTemplate,
  Table,
  TableSearch,
  Unique,
} from "@plinth/bundle";
import { checkExpression } from "../sql/check-sql.ts";
import { constraintName, dollarQuote, quoteIdentifier as q } from "../sql/sql-text.ts";
import { columnsIn, replaceColumns } from "./column-sql.ts";
import { searchName } from "./names.ts";

/** A new table with everything that needs no other table: foreign keys are added when every table exists. */
export function createTable(table: Table): SqlTemplate {
  const { exclusions = [], search } = table;
  const parts = [
    ...table.columns.map(columnSql),
    ...exclusions.map(guardColumn),
    ...(search === undefined ? [] : [`${q(search.column)} tsvector`]),
    `constraint ${q(primaryKeyName(table.name))} primary key (${columnList(table.primaryKey)})`,
    ...table.checks.map((check) => `constraint ${q(check.name)} check (${checkExpression(check, table.columns)})`),
    ...exclusions.map(exclusionSql),
  ];
  return [
    `create table ${qualified(table.name)} (\n  ${parts.join(",\n  ")}\n);`,
    ...table.uniques.map((unique) => `${createUnique(table.name, unique, "")};`),
    ...table.indexes.map((index) => `${createIndex(table.name, index, "")};`),
    ...(search === undefined
      ? []
      : [
          `${createIndex(table.name, searchIndex(search), "")};`,
          keepSearch(table.name, searchName(table.name), search),
        ]),
    ...(table.privileges.length === 0 ? [] : [grant(table.name, table.privileges)]),
  ].join("\n");
}

/** For a new table, in which all rows count. */
function guardColumn({ guard }: Exclusion): string {
  return `${q(guard)} boolean not null default true`;
}

function exclusionSql({ name, guard, same, rangeType, from, to, where }: Exclusion): string {
  const keys = [...same.map((column) => `${q(column)} with =`), `${rangeType}(${q(from)}, ${q(to)}, '[)') with &&`];
  const counts = where === null ? q(guard) : `${q(guard)} and ${where}`;
  return `constraint ${q(name)} exclude using gist (${keys.join(", ")}) where (${counts})`;
}

/** No existing row counts yet, so the index is empty. */
export function addExclusion(table: string, exclusion: Exclusion): SqlTemplate {
  const guard = q(exclusion.guard);
  return [
    `${alter(table)} add column ${guard} boolean not null default false;`,
    `${alter(table)} alter column ${guard} set default true;`,
    `${alter(table)} add ${exclusionSql(exclusion)};`,
  ].join("\n");
}

export function dropExclusion(table: string, { name, guard }: Exclusion): SqlTemplate {
  return `${alter(table)} drop constraint ${q(name)}, drop column ${q(guard)};`;
}

/** Its index finds rows by single words, however many a row has. */
export function searchIndex({ index, column }: Pick<TableSearch, "index" | "column">): Index {
  return { name: index, method: "gin", keys: [q(column)], where: null };
}

/**
 * Rows that are written from now on have it. A write that doesn't change the texts doesn't change it and costs nothing.
 */
export function keepSearch(table: string, name: string, { column, value }: Omit<TableSearch, "index">): SqlTemplate {
  const texts = [...columnsIn(value)];
  const row = (alias: string): string => `row(${texts.map((text) => `${alias}.${q(text)}`).join(", ")})`;
  const body = `
begin
  if tg_op = 'INSERT' or ${row("new")} is distinct from ${row("old")} then
    new.${q(column)} := ${replaceColumns(value, (text) => `new.${q(text)}`)};
  end if;
  return new;
end `;
  return `create or replace function {schema}.${q(name)}() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as ${dollarQuote(body)};
create or replace trigger ${q(name)} before insert or update on ${qualified(table)} for each row execute function {schema}.${q(name)}();`;
}

export function keepSearchNoLonger(table: string, name: string): SqlTemplate {
  return `drop trigger ${q(name)} on ${qualified(table)};\ndrop function {schema}.${q(name)}();`;
}

export function dropColumn(table: string, column: string): SqlTemplate {
  return `${alter(table)} drop column ${q(column)};`;
}

export function primaryKeyName(table: string): string {
  return constraintName(table, [], "pkey");
}

export function renameTable(from: string, to: string): SqlTemplate {
  return `${alter(from)} rename to ${q(to)};`;
}

export function renameColumn(table: string, from: string, to: string): SqlTemplate {
  return `${alter(table)} rename column ${q(from)} to ${q(to)};`;
}

export function renameConstraint(table: string, from: string, to: string): SqlTemplate {
  return `${alter(table)} rename constraint ${q(from)} to ${q(to)};`;
}

/** If a primary key uses the index, it gets the name too. */
export function renameIndex(from: string, to: string): SqlTemplate {
  return `alter index ${qualified(from)} rename to ${q(to)};`;
}

export function addColumn(table: string, column: Column): SqlTemplate {
  return `${alter(table)} add column ${columnSql(column)};`;
}

export function alterType(table: string, column: string, sqlType: string): SqlTemplate {
  return `${alter(table)} alter column ${q(column)} type ${sqlType};`;
}

export function setDefault(table: string, column: Pick<Column, "name" | "default">): SqlTemplate {
  const change = column.default === null ? "drop default" : `set default ${column.default}`;
  return `${alter(table)} alter column ${q(column.name)} ${change};`;
}

export function dropNotNull(table: string, column: string): SqlTemplate {
  return `${alter(table)} alter column ${q(column)} drop not null;`;
}

/** Reads no row if a validated check says the same. */
export function setNotNull(table: string, column: string): SqlTemplate {
  return `${alter(table)} alter column ${q(column)} set not null;`;
}

export function createIndexOnline(table: string, index: Index): SqlTemplate {
  return createIndex(table, index, "concurrently ");
}

export function createUniqueOnline(table: string, unique: Unique): SqlTemplate {
  return createUnique(table, unique, "concurrently ");
}

export function dropIndexOnline(index: string): SqlTemplate {
  return `drop index concurrently if exists ${qualified(index)}`;
}

export function dropIndex(index: string): SqlTemplate {
  return `drop index ${qualified(index)};`;
}

export function addForeignKey(table: string, key: ForeignKey, rows: "checked" | "not checked yet"): SqlTemplate {
  const cascade = key.onDelete === "cascade" ? " on delete cascade" : "";
  const references = `foreign key (${q(key.column)}) references ${qualified(key.table)} ("id")${cascade}`;
  const suffix = rows === "checked" ? "" : " not valid";
  return `${alter(table)} add constraint ${q(key.name)} ${references}${suffix};`;
}

/** `validateConstraint` checks existing rows, without blocking writers. */
export function addCheckUnproven(table: string, name: string, expression: string): SqlTemplate {
  return `${alter(table)} add constraint ${q(name)} check (${expression}) not valid;`;
}

export function validateConstraint(table: string, name: string): SqlTemplate {
  return `${alter(table)} validate constraint ${q(name)};`;
}

export function dropConstraint(table: string, name: string): SqlTemplate {
  return `${alter(table)} drop constraint ${q(name)};`;
}

export function grant(table: string, privileges: readonly Privilege[]): SqlTemplate {
  return `grant ${privileges.join(", ")} on ${qualified(table)} to {worker};`;
}

export function revoke(table: string, privileges: readonly Privilege[]): SqlTemplate {
  return `revoke ${privileges.join(", ")} on ${qualified(table)} from {worker};`;
}

export function qualified(name: string): string {
  return `{schema}.${q(name)}`;
}

export function columnList(columns: readonly string[]): string {
  return columns.map(q).join(", ");
}

export function alter(table: string): string {
  return `alter table ${qualified(table)}`;
}

function createIndex(table: string, index: Index, mode: string): string {
  const where = index.where === null ? "" : ` where ${index.where}`;
  const method = index.method === "btree" ? "" : ` using ${index.method}`;
  return `create index ${mode}${q(index.name)} on ${qualified(table)}${method} (${index.keys.join(", ")})${where}`;
}

function createUnique(table: string, unique: Unique, mode: string): string {
  const where = unique.where === null ? "" : ` where ${unique.where}`;
  return `create unique index ${mode}${q(unique.name)} on ${qualified(table)} (${columnList(unique.columns)})${where}`;
}

function columnSql(column: Column): string {
  const type = column.sqlType === "text" ? 'text collate "C"' : column.sqlType;
  const identity = column.identity ? " generated always as identity" : "";
  const fallback = column.default === null ? "" : ` default ${column.default}`;
  return `${q(column.name)} ${type}${identity}${column.nullable ? "" : " not null"}${fallback}`;
}
