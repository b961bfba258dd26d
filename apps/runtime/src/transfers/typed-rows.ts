// The staged rows as rows of the entity's table. In: a target. Out: SQL: the columns to write, the rows with every
// value in its type, and the conditions of the API's own forms, which the table doesn't check.
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { canonicalText, rowHash } from "./canonical.ts";
import type { ImportTarget } from "./import-target.ts";
import { stagedColumn } from "./staged-rows.ts";

/** Names of all written columns, quoted. */
export function writtenColumns({ mapped, others, numbered }: ImportTarget): readonly string[] {
  return [...mapped, ...others.map(({ field }) => field), ...numbered].map(({ column }) => quoteIdentifier(column));
}

/** The result columns of a SELECT over staged rows, without the numbers. */
export function typedColumns({ mapped, others }: ImportTarget, row: string): readonly string[] {
  return [
    ...mapped.map((field, at) => `${row}.${stagedColumn(at)}::${field.sqlType} AS ${quoteIdentifier(field.column)}`),
    ...others.map(({ field, sql }) => `${sql} AS ${quoteIdentifier(field.column)}`),
  ];
}

/** The hash of a stored row, over the fields from the source. */
export function storedHash({ mapped }: ImportTarget, row: string): string {
  return rowHash(mapped.map((field) => canonicalText(row, field)));
}

/** Conditions on values of fields that the API limits more than their column's type; SQL over the row. */
export function formsOf(
  target: ImportTarget,
  row: string,
): readonly { readonly field: string; readonly sql: string }[] {
  return target.mapped.flatMap(({ name, column, sqlType }) => {
    const value = `${row}.${quoteIdentifier(column)}`;
    const sql = formOfUser(target, name, value) ?? formOf(value, sqlType);
    return sql === null ? [] : [{ field: name, sql: `(${value} IS NULL OR ${sql})` }];
  });
}

/** Sign-in uses the address in lower case. An undeclared role would get rights as soon as somebody declares it. */
function formOfUser({ view, roles }: ImportTarget, field: string, value: string): string | null {
  if (view.entity.name !== "user") return null;
  if (field === "email") return `${value} = lower(${value})`;
  return field === "roles" ? `${value} <@ ARRAY[${roles.map(quoteLiteral).join(", ")}]::text[]` : null;
}

function formOf(value: string, sqlType: string): string | null {
  if (sqlType === "date" || sqlType === "timestamptz") {
    return `(isfinite(${value}) AND extract(year FROM ${value}) BETWEEN 1 AND 9999)`;
  }
  // Months have no fixed length, and durations in the API are never negative.
  if (sqlType === "interval") return `(extract(year FROM ${value}) = 0 AND extract(month FROM ${value}) = 0)`;
  if (sqlType.startsWith("numeric")) return sqlType.endsWith("[]") ? null : `${value} <> 'NaN'`;
  return null;
}
