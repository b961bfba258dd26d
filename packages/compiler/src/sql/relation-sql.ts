// Finds the records of a to-many relation. In: the relation and both its sides. Out: a FROM list and a condition. It
// never evaluates rules; `lower.ts` does.
import type { Relation } from "@plinth/blueprint";
import { type CatalogEntity, joinTableOf } from "./catalog.ts";
import { quoteIdentifier as q } from "./sql-text.ts";

/** Rules only see records that are not deleted. */
export function andLiving(entity: CatalogEntity, alias: string): string {
  return entity.softDelete === null ? "" : ` and ${alias}.${q(entity.softDelete)} is null`;
}

/** The connection of the records to their owner: a column of their own table, or the pairs of a join table. */
export interface RelatedRows {
  readonly from: string;
  readonly where: string;
  readonly table: string;
  readonly column: string | null;
}

/**
 * The records have the alias `alias`; `ownerId` is SQL of the owner's id. `row` is the row of the rule, if that is the
 * owner: a write can also change its pairs, so the code that fills the template chooses the pairs.
 */
export function relatedFrom(
  relation: Relation,
  owner: CatalogEntity,
  target: CatalogEntity,
  alias: string,
  ownerId: string,
  row: string | null,
): RelatedRows {
  const from = `{schema}.${q(target.table)} ${alias}`;
  const { by } = relation;
  if (by.kind === "referrer")
    return { from, where: `${alias}.${q(by.field)} = ${ownerId}`, table: target.table, column: by.field };
  const { table, own, other } =
    by.kind === "refs" ? joinTableOf(owner, by.field, target.name) : joinTableOf(target, by.field, owner.name);
  const [here, there] = by.kind === "refs" ? [own, other] : [other, own];
  const pair = `${alias}_pair`;
  const ofRow = row !== null && (by.kind === "refs" || owner.name === target.name);
  const pairs = ofRow ? `{pairs.${row}.${table}}` : `{schema}.${q(table)}`;
  return {
    from: `${pairs} ${pair} join ${from} on ${alias}."id" = ${pair}.${q(there)}`,
    where: `${pair}.${q(here)} = ${ownerId}`,
    table,
    column: null,
  };
}
