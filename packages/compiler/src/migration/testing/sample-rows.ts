// Rows for random schemas. In: a schema, and a number for each row. Out: rows in the database. Only property tests import this.
import type pg from "pg";
import { quoteIdentifier as q } from "../../sql/sql-text.ts";
import { type Sketch, values } from "./sample-changes.ts";
import type { Names } from "./sample-tables.ts";

/** Rows that satisfy the rules of their schema; others are left out. */
export async function insertRows(
  client: pg.Client,
  names: Names,
  one: Sketch[number],
  all: Sketch,
  rows: readonly number[],
): Promise<void> {
  const of = (at: number): string => `00000000-0000-7000-8000-00000000000${"abcdef"[at]}`;
  for (const [at, number] of rows.entries()) {
    const cells = one.columns.map((column, place) => {
      const pool = values[column.type]!;
      const nullable = column.nullable || column.target !== null;
      if (nullable && (number + place) % 3 === 0) return "null";
      if (column.target !== null) {
        const target = all.find(({ uid }) => uid === column.target);
        return all.indexOf(target!) < all.indexOf(one) ? `'${of(at)}'` : "null";
      }
      return `'${pool[(number + place * 7) % pool.length]!.replaceAll("'", "''")}'`;
    });
    const marks = one.soft && number % 4 === 1 ? [["deleted_at", "now()"] as const] : [];
    const columns = ["id", ...one.columns.map(({ name }) => name), ...marks.map(([name]) => name)].map(q).join(", ");
    const row = [`'${of(at)}'`, ...cells, ...marks.map(([, value]) => value)].join(", ");
    const sql = `insert into ${names.schema}.${q(one.name)} (${columns}) values (${row}) on conflict do nothing`;
    await client.query(sql).catch((error: { code?: string }) => {
      if (error.code !== "23514" && error.code !== "23503") throw error;
    });
  }
}
