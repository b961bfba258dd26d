// Imports the pairs of a many-to-many field. In: staged pairs of ids. Out: the result. An existing pair counts as
// taken.
import type { BulkTransaction } from "@plinth/postgres";
import { rowHash } from "./canonical.ts";
import type { LinkTarget } from "./import-target.ts";
import { judgePairs } from "./judged-pairs.ts";
import { STAGED } from "./staged-rows.ts";
import type { Taken } from "./taken.ts";

export async function linkRecords(
  open: BulkTransaction,
  { into, own, other, field, sameOrganization }: LinkTarget,
): Promise<Taken> {
  const { client } = open;
  const refused = await judgePairs(open, {
    first: { table: own.table, message: "The record itself was refused." },
    second: { table: other.table, field: field.name, message: "This record does not exist." },
    sameOrganization,
  });
  const free = `FROM ${STAGED} _s WHERE _s._key NOT IN (SELECT _key FROM pg_temp._refused)`;
  await client.query(
    `INSERT INTO ${into} (${own.column}, ${other.column}) SELECT _s._c0::uuid, _s._c1::uuid ${free} ON CONFLICT DO NOTHING`,
  );
  const { rows } = await client.query<{ count: string; checksum: string }>(
    `SELECT count(*), coalesce(sum(${rowHash([`_r.${own.column}::text`, `_r.${other.column}::text`])}), 0)::text AS checksum
     FROM ${into} _r JOIN (SELECT _s._c0::uuid AS _own, _s._c1::uuid AS _other ${free}) _s
       ON _r.${own.column} = _s._own AND _r.${other.column} = _s._other`,
  );
  return refused.taken(Number(rows[0]?.count), rows[0]?.checksum ?? "0");
}
