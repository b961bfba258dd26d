// Checks staged pairs of ids, whose records must both exist. In: the tables of both. Out: which pairs are refused, and
// why.
import type { RowRefusal } from "@plinth/bundle/cell";
import type { BulkTransaction } from "@plinth/postgres";
import { STAGED } from "./staged-rows.ts";
import type { Taken } from "./taken.ts";

export interface PairVerdicts {
  readonly first: { readonly table: string; readonly message: string };
  /** SQL over the first record: it already has another value, which a second import must not replace. */
  readonly isOther?: string;
  readonly second: { readonly table: string; readonly field: string; readonly message: string };
  /** Whether both must belong to one organization. */
  readonly sameOrganization: boolean;
}

export interface JudgedPairs {
  mark(key: string, field: string | null, code: string, message: string): Promise<void>;
  /** Keys of the pairs that are not refused. */
  free(): Promise<readonly string[]>;
  taken(accepted: number, checksum: string): Promise<Taken>;
}

const UUID = "'^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$'";

export async function judgePairs(
  { client, makeTable }: BulkTransaction,
  { first, second, isOther, sameOrganization }: PairVerdicts,
): Promise<JudgedPairs> {
  await makeTable("_refused", { columns: "_key text PRIMARY KEY, field text, code text, message text" });
  const mark = async (where: string, values: readonly (string | null)[]): Promise<void> => {
    await client.query(
      `INSERT INTO pg_temp._refused SELECT _s._key, $1, $2, $3 FROM ${STAGED} _s WHERE ${where} ON CONFLICT DO NOTHING`,
      [...values],
    );
  };
  const free = "_s._key NOT IN (SELECT _key FROM pg_temp._refused)";
  await mark(`(_s._c0 ~* ${UUID} AND _s._c1 ~* ${UUID}) IS NOT TRUE`, [null, "wrong_type", "It is not a pair of ids."]);
  await mark(`${free} AND NOT EXISTS (SELECT 1 FROM ${first.table} _r WHERE _r."id" = _s._c0::uuid)`, [
    "id",
    "unknown_reference",
    first.message,
  ]);
  const same = sameOrganization
    ? ` AND _o."org_id" = (SELECT _r."org_id" FROM ${first.table} _r WHERE _r."id" = _s._c0::uuid)`
    : "";
  await mark(`${free} AND NOT EXISTS (SELECT 1 FROM ${second.table} _o WHERE _o."id" = _s._c1::uuid${same})`, [
    second.field,
    "unknown_reference",
    second.message,
  ]);
  if (isOther !== undefined) {
    const exists = `EXISTS (SELECT 1 FROM ${first.table} _r WHERE _r."id" = _s._c0::uuid AND ${isOther})`;
    await mark(`${free} AND ${exists}`, [second.field, "exists", "The record already has another reference."]);
  }
  return {
    mark: async (key, field, code, message) => {
      await client.query("INSERT INTO pg_temp._refused VALUES ($1, $2, $3, $4)", [key, field, code, message]);
    },
    free: async () => {
      const { rows } = await client.query<{ key: string }>(`SELECT _s._key AS key FROM ${STAGED} _s WHERE ${free}`);
      return rows.map(({ key }) => key);
    },
    taken: async (accepted, checksum) => {
      const { rows } = await client.query<RowRefusal & { hash: string }>(
        `SELECT left(_s._key, 200) AS key, field, code, message, _s._hash::text AS hash
         FROM pg_temp._refused JOIN ${STAGED} _s USING (_key)`,
      );
      const refusals = rows.map(({ hash: _, ...refusal }) => refusal);
      const refusedChecksum = String(rows.reduce((sum, row) => sum + BigInt(row.hash), 0n));
      return { accepted, checksum, refusals, refusedChecksum };
    },
  };
}
