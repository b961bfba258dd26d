// Writes the staged rows of a batch in one statement, in the expectation that all are valid: the table's own
// constraints check them. In: a target. Out: whether all rows were stored as they were sent. If not, everything is
// rolled back, and `judge-batch.ts` checks each row.
import { quoteIdentifier, sqlState } from "@plinth/postgres";
import type { ClientBase } from "pg";
import type { ImportTarget } from "./import-target.ts";
import { numberingJoins, numberOf, raiseCounters, takeNumbers } from "./numbers.ts";
import { STAGED, type Staged } from "./staged-rows.ts";
import { formsOf, storedHash, typedColumns, writtenColumns } from "./typed-rows.ts";

export async function insertSound(client: ClientBase, target: ImportTarget, staged: Staged): Promise<boolean> {
  await client.query("SAVEPOINT sound");
  try {
    const rows = `SELECT ${typedColumns(target, "_s").join(", ")} FROM ${STAGED} _s`;
    const stored = await insertRows(client, target, rows);
    if (stored.count === staged.count && stored.checksum === staged.checksum) {
      await client.query("RELEASE SAVEPOINT sound");
      return true;
    }
  } catch (error) {
    if (!isAboutRows(error)) throw error;
  }
  await client.query("ROLLBACK TO SAVEPOINT sound");
  return false;
}

/** Whether Postgres refused values: their form (22), a constraint (23), or their size (54). */
export function isAboutRows(error: unknown): boolean {
  return /^(?:22|23|54)/.test(sqlState(error) ?? "");
}

export interface Stored {
  readonly count: number;
  readonly checksum: string;
  readonly ids: readonly string[];
}

interface Insert {
  /** Whether a conflicting row is left out instead of causing an error. */
  readonly leavesOut?: boolean;
}

/** @param rows A SELECT of typed rows. Returns the stored ids, if some rows may be left out. */
export async function insertRows(
  client: ClientBase,
  target: ImportTarget,
  rows: string,
  { leavesOut = false }: Insert = {},
): Promise<Stored> {
  const forms = formsOf(target, "_t").map(({ sql }) => sql);
  const where = forms.length === 0 ? "" : ` WHERE ${forms.join(" AND ")}`;
  const typed = [...target.mapped, ...target.others.map(({ field }) => field)];
  const selected = [
    ...typed.map(({ column }) => `_t.${quoteIdentifier(column)}`),
    ...target.numbered.map((field, at) => numberOf(field, at)),
  ];
  await takeNumbers(client, target, rows);
  const { rows: found } = await client.query<{ count: string; checksum: string; ids: string[] | null }>(
    `WITH _t AS (${rows}),
       _ins AS (INSERT INTO ${target.into} AS _r (${writtenColumns(target).join(", ")})
         SELECT ${selected.join(", ")} FROM _t${numberingJoins(target)}${where}
         ${leavesOut ? "ON CONFLICT DO NOTHING" : ""} RETURNING _r."id", ${storedHash(target, "_r")} AS _hash)
     SELECT count(*), coalesce(sum(_hash), 0)::text AS checksum, ${leavesOut ? `array_agg("id"::text)` : "NULL"} AS ids FROM _ins`,
  );
  await raiseCounters(client, target, rows);
  const [stored] = found;
  return { count: Number(stored?.count ?? 0), checksum: stored?.checksum ?? "0", ids: stored?.ids ?? [] };
}
