// One step of an import as its source reads it. In: a table and expressions. Out: SQL that copies its rows behind a key, counts them,
// and sums their hashes.
import { createHash } from "node:crypto";
import type { ImportStep } from "@plinth/control/router";
import type { ForeignTable } from "../foreign-schema.ts";
import { keyColumns, keyText, literal, quoted, rowHash, type SourceTables, tableName } from "./source-sql.ts";

export interface SourceStep {
  readonly step: ImportStep;
  readonly table: ForeignTable;
  /** A COPY of the rows behind the key, in its order; of each the key comes first. */
  copyAfter(key: string | null, limit?: number): string;
  /** One row: `count`, `checksum`. */
  readonly sums: string;
}

export function createSourceStep(
  table: ForeignTable,
  _tables: SourceTables,
  step: Omit<ImportStep, "name">,
  values: readonly string[],
  where: string | null = null,
): SourceStep {
  const keys = keyColumns(table).map((name) => `_t.${quoted(name)}`);
  // Without a key, rows are numbered in the order of all that they hold: the same as long as the table is.
  const from =
    keys.length > 0
      ? `${tableName(table)} _t`
      : `(SELECT row_number() OVER (ORDER BY _n::text) AS "_place", _n.* FROM ${tableName(table)} _n) _t`;
  const order = keys.length > 0 ? keys.join(", ") : '_t."_place"';
  const select = [keyText(table, "_t"), ...values].join(", ");
  const named = `${step.entity} from ${table.id}${step.kind === "records" ? "" : ` (${step.fields.at(-1)})`}`;
  // Another mapping is another step: what the last one has taken says nothing of it.
  const mark = createHash("sha256")
    .update(JSON.stringify([values, where]))
    .digest("hex")
    .slice(0, 8);
  return {
    step: { ...step, name: `${named.slice(0, 180)} ${mark}` },
    table,
    copyAfter: (key, limit) => {
      const conditions = [
        ...(where === null ? [] : [`(${where})`]),
        ...(key === null ? [] : [`(${order}) > (${placeOf(key, keys.length).map(literal).join(", ")})`]),
      ];
      const condition = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
      const bound = limit === undefined ? "" : ` LIMIT ${limit}`;
      return `COPY (SELECT ${select} FROM ${from}${condition} ORDER BY ${order}${bound}) TO STDOUT`;
    },
    sums: `SELECT count(*)::text AS count, coalesce(sum(${rowHash(values)}), 0)::text AS checksum FROM ${from}${
      where === null ? "" : ` WHERE ${where}`
    }`,
  };
}

function placeOf(key: string, columns: number): readonly string[] {
  return columns <= 1 ? [key] : (JSON.parse(key) as string[]);
}
