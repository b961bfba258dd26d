// The shared context of the readers of a table. In: the catalogue. Out: a table's id, and its partitions.
import type { ForeignEnum } from "../foreign-schema.ts";
import type { Inventory } from "../inventory.ts";
import type { Catalogue, TableRow, TypeRow } from "./catalogue.ts";

export interface TableContext {
  readonly catalogue: Catalogue;
  readonly types: ReadonlyMap<number, TypeRow>;
  readonly enums: ReadonlyMap<number, ForeignEnum>;
  readonly inventory: Inventory;
}

export const idOf = ({ schema, name }: TableRow): string => `${schema}.${name}`;

/** All tables, including partitions. */
export function partitionsOf({ oid }: TableRow, catalogue: Catalogue): readonly TableRow[] {
  return catalogue.tables
    .filter((table) => table.partitionOf === oid)
    .flatMap((table) => [table, ...partitionsOf(table, catalogue)]);
}
