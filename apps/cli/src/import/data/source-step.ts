// One step of an import in the source. In: a table and expressions. Out: SQL that copies its rows after a key, each with the hash
// of its values, and SQL that counts them.
import { createHash } from "node:crypto";
import type { ImportStep } from "@plinth/control/router";
import type { ForeignTable } from "../foreign-schema.ts";
import { keyColumns, keyText, literal, quoted, rowHash, tableName } from "./source-sql.ts";

export interface SourceStep {
  readonly step: ImportStep;
  readonly table: ForeignTable;
  /** A COPY of the rows after the key, in its order: for each row the key, the hash of the values, and the values. */
  copyAfter(key: string | null, limit?: number): string;
  /** One row: `count`. */
  readonly count: string;
}

export function createSourceStep(
  table: ForeignTable,
  step: Omit<ImportStep, "name">,
  values: readonly string[],
  where: string | null = null,
): SourceStep {
  const keys = keyColumns(table).map((name) => `_t.${quoted(name)}`);
  // Without a key, rows are numbered in the order of all their values, which is the same as long as the table doesn't change.
  const from =
    keys.length > 0
      ? `${tableName(table)} _t`
      : `(SELECT row_number() OVER (ORDER BY _n::text) AS "_place", _n.* FROM ${tableName(table)} _n) _t`;
  const order = keys.length > 0 ? keys.join(", ") : '_t."_place"';
  const names = values.map((_, at) => `_v${at}`);
  const inner = [`${keyText(table, "_t")} AS _key`, ...values.map((value, at) => `${value} AS ${names[at]}`)].join(
    ", ",
  );
  const named = `${step.entity} from ${table.id}${step.kind === "records" ? "" : ` (${step.fields.at(-1)})`}`;
  // Another mapping makes another step, because the progress of the old one doesn't apply to it.
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
      // OFFSET 0 prevents that each value is computed twice, for itself and for the hash.
      const rows = `SELECT ${inner} FROM ${from}${condition} ORDER BY ${order}${bound === "" ? " OFFSET 0" : bound}`;
      return `COPY (SELECT _key, ${rowHash(names)}, ${names.join(", ")} FROM (${rows}) _r) TO STDOUT`;
    },
    count: `SELECT count(*)::text AS count FROM ${from}${where === null ? "" : ` WHERE ${where}`}`,
  };
}

function placeOf(key: string, columns: number): readonly string[] {
  return columns <= 1 ? [key] : (JSON.parse(key) as string[]);
}
