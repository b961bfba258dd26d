// Values of records as short texts. In: records, and a field, or none for the records themselves. Out: different texts, in order. Pure.
import type { DataRow } from "@plinth/control/router";
import { cellText } from "../data/cell-text.ts";

const LENGTH_MAX = 60;
/** They say nothing about a record. */
const OF_EVERY_RECORD = /^(id|version|created_at|updated_at|deleted_at|organization_id)$/;
const FIELDS_OF_RECORD = 3;

export function exampleValues(rows: readonly DataRow[], field: string | undefined): readonly string[] {
  const texts = rows.flatMap((row) => {
    const values = field === undefined ? ownValues(row) : [row[field]];
    const shown = values.filter((value) => value !== null && value !== undefined && value !== "");
    return shown.length === 0 ? [] : [shortened(shown.map((value) => cellText(value, null).text).join(", "))];
  });
  return [...new Set(texts)];
}

function ownValues(row: DataRow): readonly unknown[] {
  const own = Object.entries(row).filter(([name]) => !OF_EVERY_RECORD.test(name));
  return own.slice(0, FIELDS_OF_RECORD).map(([, value]) => value);
}

function shortened(text: string): string {
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX - 1)}…`;
}
