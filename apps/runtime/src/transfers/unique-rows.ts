// Rows that meet another one: by their id, by what is unique, or by what may not overlap. In: the judged rows of a target. Out: marks.
import { quoteIdentifier } from "@plinth/postgres";
import type { ImportTarget } from "./import-target.ts";
import type { RefusedRows } from "./refused-rows.ts";
import { JUDGED } from "./staged-rows.ts";

interface Unique {
  readonly columns: readonly string[];
  readonly where: string | null;
}

/** Rows that the insert has left out: which of the table's constraints was it? */
export async function nameConflicts(
  refused: RefusedRows,
  target: ImportTarget,
  storedIds: readonly string[],
): Promise<void> {
  const left = await refused.leftOut(storedIds);
  if (left === 0) return;
  await refused.mark(existing(target, ["id"], null), "id", "exists", "The record is there already.");
  for (const { columns, where } of uniquesOf(target)) {
    await refused.mark(
      existing(target, columns, where),
      columns.join(", "),
      "taken",
      "Another record has this value already.",
    );
  }
  const overlap = target.view.entity.exclusions?.[0];
  const message = overlap?.message ?? "Another record is in its way.";
  await refused.mark("SELECT _n FROM pg_temp._left", overlap?.fields.join(", ") ?? null, "overlaps", message);
}

/** The same where nothing is written: against the records that are there, and against earlier rows of the batch. */
export async function judgeUnique(refused: RefusedRows, target: ImportTarget): Promise<void> {
  await refused.leftOut([]);
  await refused.mark(existing(target, ["id"], null), "id", "exists", "The record is there already.");
  for (const { columns, where } of uniquesOf(target)) {
    const field = columns.join(", ");
    await refused.mark(existing(target, columns, where), field, "taken", "Another record has this value already.");
    const key = columns.map((column) => `_j.${quoteIdentifier(column)}`);
    const filled = key.map((column) => `${column} IS NOT NULL`).join(" AND ");
    const earlier = `SELECT _n FROM (
        SELECT _n, row_number() OVER (PARTITION BY ${key.join(", ")} ORDER BY _n) AS _place
        FROM ${JUDGED} _j WHERE ${filled}${where === null ? "" : ` AND (${where})`} AND ${refused.isFree("_j._n")}
      ) _ranked WHERE _place > 1`;
    await refused.mark(earlier, field, "taken", "Another row of the source has this value already.");
  }
}

/** Uniques over columns that the import writes: of the others nobody knows the values before they are stored. */
function uniquesOf({ table, mapped, others }: ImportTarget): readonly Unique[] {
  const written = [...mapped, ...others.map(({ field }) => field)].map(({ column }) => column);
  return table.uniques.filter(({ columns }) => columns.every((column) => written.includes(column)));
}

/** Rows with the values of a stored record, of those that were left out. */
function existing({ into }: ImportTarget, columns: readonly string[], where: string | null): string {
  const same = columns.map((column) => `_o.${quoteIdentifier(column)} = _j.${quoteIdentifier(column)}`).join(" AND ");
  const counted = where === null ? "true" : `(SELECT ${where} FROM (SELECT _j.*) _w)`;
  const standing = where === null ? into : `(SELECT * FROM ${into} WHERE ${where})`;
  return `SELECT _j._n FROM ${JUDGED} _j JOIN pg_temp._left USING (_n) WHERE ${counted} AND EXISTS (SELECT 1 FROM ${standing} _o WHERE ${same})`;
}
