// One step of an import from a database. In: a table and expressions. Out: its rows after a key, each with the hash of its values,
// and their number.
import { createHash } from "node:crypto";
import type { ImportStep } from "@plinth/control/router";
import type { ForeignTable } from "../foreign-schema.ts";
import type { SourceStep } from "./import-plan.ts";
import type { Source } from "./source.ts";
import { keyColumns, keyText, literal, quoted, rowHash, tableName } from "./source-sql.ts";

export function createSourceStep(
  source: Source,
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
  const copyAfter = (key: string | null, limit?: number): string => {
    const conditions = [
      ...(where === null ? [] : [`(${where})`]),
      ...(key === null ? [] : [`(${order}) > (${placeOf(key, keys.length).map(literal).join(", ")})`]),
    ];
    const condition = conditions.length === 0 ? "" : ` WHERE ${conditions.join(" AND ")}`;
    const bound = limit === undefined ? "" : ` LIMIT ${limit}`;
    // OFFSET 0 prevents that each value is computed twice, for itself and for the hash.
    const rows = `SELECT ${inner} FROM ${from}${condition} ORDER BY ${order}${bound === "" ? " OFFSET 0" : bound}`;
    return `COPY (SELECT _key, ${rowHash(names)}, ${names.join(", ")} FROM (${rows}) _r) TO STDOUT`;
  };
  return {
    step: { ...step, name: `${named.slice(0, 180)} ${mark}` },
    batches: (after, bounds, limit) => source.batches(copyAfter(after, limit), bounds),
    count: async () => {
      const counting = `SELECT count(*)::text AS count FROM ${from}${where === null ? "" : ` WHERE ${where}`}`;
      const [counted] = await source.rows<{ count: string }>(counting);
      return Number(counted?.count ?? 0);
    },
  };
}

function placeOf(key: string, columns: number): readonly string[] {
  return columns <= 1 ? [key] : (JSON.parse(key) as string[]);
}
