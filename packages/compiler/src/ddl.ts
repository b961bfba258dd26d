// Writes tables as DDL. In: parts of a table. Out: statements with the holes {schema} and {worker}.
// It never decides what to change, nor in which order; `migration.ts` does.
import type { Check, Column, ForeignKey, Index, SqlTemplate, Table, Unique } from "@plinth/bundle";
import { constraintName, quoteIdentifier as q, quoteText } from "./sql-text.ts";

/** A new table with all that needs no other table: foreign keys come when every table is there. */
export function createTable(table: Table): SqlTemplate {
  const primaryKey = `constraint ${q(constraintName(table.name, [], "pkey"))} primary key ("id")`;
  const parts = [
    ...table.columns.map(columnSql),
    primaryKey,
    ...table.uniques.map((unique) => `constraint ${q(unique.name)} unique (${columnList(unique.columns)})`),
    ...table.checks.map((check) => `constraint ${q(check.name)} check (${checkSql(check)})`),
  ];
  return [
    `create table ${qualified(table.name)} (\n  ${parts.join(",\n  ")}\n);`,
    ...table.indexes.map((index) => `${createIndex(table.name, index)};`),
    `grant ${table.privileges.join(", ")} on ${qualified(table.name)} to {worker};`,
  ].join("\n");
}

export function addColumn(table: string, column: Column): SqlTemplate {
  return `${alter(table)} add column ${columnSql(column)};`;
}

export function setDefault(table: string, column: Column): SqlTemplate {
  const change = column.default === null ? "drop default" : `set default ${column.default}`;
  return `${alter(table)} alter column ${q(column.name)} ${change};`;
}

export function dropNotNull(table: string, column: string): SqlTemplate {
  return `${alter(table)} alter column ${q(column)} drop not null;`;
}

function createIndex(table: string, index: Index): SqlTemplate {
  return `create index ${q(index.name)} on ${qualified(table)} (${columnList(index.columns)})`;
}

/** One statement and no transaction, as CONCURRENTLY demands. */
export function createIndexOnline(table: string, index: Index, unique: "unique" | "plain"): SqlTemplate {
  const create = unique === "unique" ? "create unique index" : "create index";
  return `${create} concurrently ${q(index.name)} on ${qualified(table)} (${columnList(index.columns)})`;
}

export function dropIndexOnline(index: string): SqlTemplate {
  return `drop index concurrently if exists ${qualified(index)}`;
}

export function addUniqueByIndex(table: string, unique: Unique): SqlTemplate {
  return `${alter(table)} add constraint ${q(unique.name)} unique using index ${q(unique.name)};`;
}

export function addForeignKey(table: string, key: ForeignKey, rows: "checked" | "not checked yet"): SqlTemplate {
  const references = `foreign key (${q(key.column)}) references ${qualified(key.table)} ("id") on delete ${key.onDelete}`;
  const suffix = rows === "checked" ? "" : " not valid";
  return `${alter(table)} add constraint ${q(key.name)} ${references}${suffix};`;
}

/** Rows that stand already are checked by `validateConstraint`, which does not block writers. */
export function addCheckUnproven(table: string, check: Check): SqlTemplate {
  return `${alter(table)} add constraint ${q(check.name)} check (${checkSql(check)}) not valid;`;
}

export function validateConstraint(table: string, name: string): SqlTemplate {
  return `${alter(table)} validate constraint ${q(name)};`;
}

export function dropConstraint(table: string, name: string): SqlTemplate {
  return `${alter(table)} drop constraint ${q(name)};`;
}

function columnSql(column: Column): string {
  const type = column.sqlType === "text" ? 'text collate "C"' : column.sqlType;
  const identity = column.identity ? " generated always as identity" : "";
  const fallback = column.default === null ? "" : ` default ${column.default}`;
  return `${q(column.name)} ${type}${identity}${column.nullable ? "" : " not null"}${fallback}`;
}

function checkSql(check: Check): string {
  switch (check.rule.kind) {
    case "one_of":
      return `${q(check.column)} in (${check.rule.values.map(quoteText).join(", ")})`;
    case "max_length":
      return `char_length(${q(check.column)}) <= ${check.rule.max}`;
  }
}

function alter(table: string): string {
  return `alter table ${qualified(table)}`;
}

function qualified(name: string): string {
  return `{schema}.${q(name)}`;
}

function columnList(columns: readonly string[]): string {
  return columns.map(q).join(", ");
}
