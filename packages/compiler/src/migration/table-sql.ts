// Names the columns of a changed table in SQL, at each time. In: a table's change and SQL over the new names. Out: the
// same over the current names, or over the current values. It never decides anything.

import { DELETED_AT } from "../sql/catalog.ts";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import { replaceColumns } from "./column-sql.ts";
import { qualified } from "./ddl.ts";
import type { ColumnChange, TableChange } from "./match.ts";

export function changeOf(table: TableChange, column: string): ColumnChange {
  const found = table.columns.find((one) => one.after.name === column);
  if (found === undefined) throw new Error(`${table.after.name} has no column ${column}`);
  return found;
}

/** The same SQL under the new names; null if it uses a column that is removed or gets other values. */
export function underNewNames(table: TableChange, sql: string): string | null {
  const known = new Set(table.before.columns.map((column) => column.name));
  let whole = true;
  const text = replaceColumns(sql, (name) => {
    if (!known.has(name)) return undefined;
    const after = newNameOf(table, name);
    if (after === null) whole = false;
    return after === null ? undefined : q(after);
  });
  return whole ? text : null;
}

/** For a column whose values stay the same; null for all others. */
export function newNameOf(table: TableChange, column: string): string | null {
  const change = table.columns.find(
    (one) => one.before?.name === column && (one.how === "kept" || one.how === "retyped"),
  );
  return change?.after.name ?? null;
}

export function newNamesOf(table: TableChange, columns: readonly string[]): readonly string[] | null {
  const names = columns.map((column) => newNameOf(table, column));
  return names.every((name) => name !== null) ? names : null;
}

/** Over the columns by their names in the old release; new columns exist next to the old ones then. */
export function underNamesOfNow(table: TableChange, sql: string): string {
  const names = new Map(table.columns.map((one) => [one.after.name, one.now]));
  return replaceColumns(sql, (name) => {
    const now = names.get(name);
    return now === undefined ? undefined : q(now);
  });
}

/** Over the values before the first step: the future result of a conversion, and the defaults of new columns. */
export function overOldRows(table: TableChange, sql: string): string {
  const values = new Map(table.columns.map((one) => [one.after.name, oldValueOf(one)]));
  return replaceColumns(sql, (name) => values.get(name));
}

/** The values at the switch, over the values before the first step. */
export function oldValueOf(change: ColumnChange): string {
  return change.fill?.old ?? existingValueOf(change, null);
}

/** The same without `fill`. `row` is the row's alias, if columns need one. */
export function existingValueOf(change: ColumnChange, row: string | null): string {
  const dot = row === null ? "" : `${row}.`;
  switch (change.how) {
    case "kept":
    case "retyped":
      return `${dot}${q(change.before.name)}`;
    case "converted":
      return `(${change.conversion.of(`${dot}${q(change.before.name)}`)})`;
    case "added":
      return `(${change.after.default ?? "null"})::${change.after.sqlType}`;
  }
}

/** Whether existing rows get other values in one of them, although the columns stay the same. */
export function isFilled(table: TableChange, columns: readonly string[]): boolean {
  return columns.some((column) => changeOf(table, column).fill !== undefined);
}

/** The key of a record in a sample: its id, or both keys of a pair. */
export function keyOf(table: TableChange): string {
  return table.before.primaryKey.map((column) => `${q(column)}::text`).join(` || '/' || `);
}

export function rowsOf(table: TableChange): string {
  return qualified(table.before.name);
}

/** Whether the table no longer has `soft_delete`: deleted rows are set aside at the switch. */
export function forgetsDeleted({ dropped, restored }: TableChange): boolean {
  return restored === null && dropped.some(({ name }) => name === DELETED_AT);
}

/** The rows that the new schema will contain, under the name of the table. */
export function stayingRowsOf(table: TableChange): string {
  if (!forgetsDeleted(table)) return rowsOf(table);
  return `(select * from ${rowsOf(table)} where ${q(DELETED_AT)} is null) ${q(table.before.name)}`;
}
