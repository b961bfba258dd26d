// Finds rows whose record is already stored with the same values, as in a second import of a source. In: the rows of a
// batch. Out: their number and checksum. They count as stored and are not written again.
import { type BulkTransaction, quoteIdentifier } from "@plinth/postgres";
import type { ImportTarget } from "./import-target.ts";
import type { Stored } from "./insert-batch.ts";
import type { RefusedRows } from "./refused-rows.ts";
import { stagedColumn } from "./staged-rows.ts";
import { storedHash } from "./typed-rows.ts";

/** The numbers of these rows. */
export const FOUND = "pg_temp._found";

export async function findStored(
  { client, makeTable }: BulkTransaction,
  target: ImportTarget,
  refused: RefusedRows,
): Promise<Stored> {
  await makeTable("_found", { columns: "_n bigint PRIMARY KEY" });
  // A record of another organization is another record. Other values that the service sets, such as times, don't count.
  const organization = target.others.find(({ field }) => field.name === "org_id");
  const sameOrganization =
    organization === undefined
      ? ""
      : ` AND _r.${quoteIdentifier(organization.field.column)} IS NOT DISTINCT FROM ${organization.sql}`;
  // MATERIALIZED, because refused rows can have ids that are no UUIDs.
  const { rows } = await client.query<{ count: string; checksum: string }>(
    `WITH _free AS MATERIALIZED (
         SELECT _s._n, _s._hash, _s.${stagedColumn(0)}::uuid AS _id FROM pg_temp._rows _s WHERE ${refused.isFree("_s._n")}),
       _same AS (
         SELECT _free._n, _free._hash FROM _free JOIN ${target.into} _r ON _r."id" = _free._id
         WHERE ${storedHash(target, "_r")} = _free._hash${sameOrganization}),
       _ins AS (INSERT INTO ${FOUND} SELECT _n FROM _same)
     SELECT count(*), coalesce(sum(_hash), 0)::text AS checksum FROM _same`,
  );
  return { count: Number(rows[0]?.count ?? 0), checksum: rows[0]?.checksum ?? "0", ids: [] };
}
