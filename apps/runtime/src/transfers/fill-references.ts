// Fills in references that had to wait for the other record: to the same entity, or in a cycle. In: staged pairs of an
// id and a reference. Out: the result. A record whose reference is refused stays without it, and the report names the
// record.
import { type BulkTransaction, quoteIdentifier } from "@plinth/postgres";
import { rowHash } from "./canonical.ts";
import type { ImportTarget } from "./import-target.ts";
import { isAboutRows } from "./insert-batch.ts";
import { judgePairs, type PairVerdicts } from "./judged-pairs.ts";
import { STAGED } from "./staged-rows.ts";
import type { Taken } from "./taken.ts";

export async function fillReferences(open: BulkTransaction, target: ImportTarget): Promise<Taken> {
  const { client } = open;
  const [, reference] = target.mapped;
  const other = target.view.all.get(reference?.references ?? "");
  if (reference === undefined || other === undefined) throw new Error("a step that fills names no reference");
  const column = quoteIdentifier(reference.column);
  const verdicts: PairVerdicts = {
    first: { table: target.into, message: "The record itself was refused." },
    second: {
      table: `${target.schema}.${quoteIdentifier(other.entity.table)}`,
      field: reference.name,
      message: "This record does not exist.",
    },
    isOther: `_r.${column} <> _s._c1::uuid`,
    sameOrganization: target.view.entity.scope !== null && other.entity.scope !== null,
  };
  const refused = await judgePairs(open, verdicts);
  const update = (where: string): string =>
    `WITH _upd AS (
       UPDATE ${target.into} _r SET ${column} = _s._c1::uuid FROM ${STAGED} _s
       WHERE _r."id" = _s._c0::uuid AND ${where} AND _s._key NOT IN (SELECT _key FROM pg_temp._refused)
       RETURNING ${rowHash([`_r."id"::text`, `_r.${column}::text`])} AS _hash)
     SELECT count(*), coalesce(sum(_hash), 0)::text AS checksum FROM _upd`;
  await client.query("SAVEPOINT filled");
  try {
    const { rows } = await client.query<{ count: string; checksum: string }>(update("true"));
    return await refused.taken(Number(rows[0]?.count), rows[0]?.checksum ?? "0");
  } catch (error) {
    if (!isAboutRows(error)) throw error;
    await client.query("ROLLBACK TO SAVEPOINT filled");
  }
  let count = 0;
  let checksum = 0n;
  for (const key of await refused.free()) {
    await client.query("SAVEPOINT one");
    try {
      const { rows } = await client.query<{ count: string; checksum: string }>(update("_s._key = $1"), [key]);
      count += Number(rows[0]?.count);
      checksum += BigInt(rows[0]?.checksum ?? "0");
      await client.query("RELEASE SAVEPOINT one");
    } catch (error) {
      if (!isAboutRows(error)) throw error;
      await client.query("ROLLBACK TO SAVEPOINT one");
      await refused.mark(key, reference.name, "not_allowed", "A check of the record does not allow the reference.");
    }
  }
  return refused.taken(count, String(checksum));
}
