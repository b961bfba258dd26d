// Finds rows that conflict with another one: by their id, a unique constraint, or an exclusion. In: the judged rows of
// a target. Out: marks.
import { quoteIdentifier } from "@plinth/postgres";
import type { ImportTarget } from "./import-target.ts";
import type { RefusedRows } from "./refused-rows.ts";
import { JUDGED } from "./staged-rows.ts";

/** Rows with the same values have been found before. */
const EXISTS = "The record already exists, with other values.";

interface Unique {
  readonly columns: readonly string[];
  readonly where: string | null;
}

/** Finds out which of the table's constraints made the insert leave rows out. */
export async function nameConflicts(
  refused: RefusedRows,
  target: ImportTarget,
  storedIds: readonly string[],
): Promise<void> {
  const left = await refused.leftOut(storedIds);
  if (left === 0) return;
  await refused.mark(existing(target, ["id"], null), "id", "exists", EXISTS);
  for (const { columns, where } of uniquesOf(target)) {
    await refused.mark(
      existing(target, columns, where),
      columns.join(", "),
      "taken",
      "Another record already has this value.",
    );
  }
  const overlap = target.view.entity.exclusions?.[0];
  const message = overlap?.message ?? "Another record conflicts with it.";
  await refused.mark("SELECT _n FROM pg_temp._left", overlap?.fields.join(", ") ?? null, "overlaps", message);
}

/** The same for a dry run: compares with existing records, and with earlier rows of the batch. */
export async function judgeUnique(refused: RefusedRows, target: ImportTarget): Promise<void> {
  await refused.leftOut([]);
  await refused.mark(existing(target, ["id"], null), "id", "exists", EXISTS);
  for (const { columns, where } of uniquesOf(target)) {
    const field = columns.join(", ");
    await refused.mark(existing(target, columns, where), field, "taken", "Another record already has this value.");
    const key = columns.map((column) => `_j.${quoteIdentifier(column)}`);
    const filled = key.map((column) => `${column} IS NOT NULL`).join(" AND ");
    const earlier = `SELECT _n FROM (
        SELECT _n, row_number() OVER (PARTITION BY ${key.join(", ")} ORDER BY _n) AS _place
        FROM ${JUDGED} _j WHERE ${filled}${where === null ? "" : ` AND (${where})`} AND ${refused.isFree("_j._n")}
      ) _ranked WHERE _place > 1`;
    await refused.mark(earlier, field, "taken", "Another row of the source already has this value.");
  }
}

/**
 * Unique constraints over columns that the import writes. The values of other columns are unknown before they are
 * stored.
 */
function uniquesOf({ table, mapped, others }: ImportTarget): readonly Unique[] {
  const written = [...mapped, ...others.map(({ field }) => field)].map(({ column }) => column);
  return table.uniques.filter(({ columns }) => columns.every((column) => written.includes(column)));
}

/** Rows with the values of a stored record, among those that were left out. */
function existing({ into }: ImportTarget, columns: readonly string[], where: string | null): string {
  const same = columns.map((column) => `_o.${quoteIdentifier(column)} = _j.${quoteIdentifier(column)}`).join(" AND ");
  const counted = where === null ? "true" : `(SELECT ${where} FROM (SELECT _j.*) _w)`;
  const standing = where === null ? into : `(SELECT * FROM ${into} WHERE ${where})`;
  return `SELECT _j._n FROM ${JUDGED} _j JOIN pg_temp._left USING (_n) WHERE ${counted} AND EXISTS (SELECT 1 FROM ${standing} _o WHERE ${same})`;
}
