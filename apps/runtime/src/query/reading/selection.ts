// The parts of records that a reply shows: which fields, and which related records within them. Its type and its shape.
// It never contains SQL, and its shape never contains a value.
import type { BundleRelation } from "@plinth/bundle";
import { type Filter, filterShape, operandsOf } from "./filter.ts";
import type { SortKey } from "./sort.ts";

export interface Selection {
  /** Null: all fields that the caller can read. */
  readonly fields: ReadonlySet<string> | null;
  /** Sorted by their names. */
  readonly expansions: readonly Expansion[];
}

/** Related records within the record, under the relation's name. */
export interface Expansion {
  readonly relation: BundleRelation;
  readonly selection: Selection;
  /** Null if the relation leads to one record. */
  readonly list: ExpandedList | null;
}

export interface ExpandedList {
  readonly limit: number;
  readonly sort: readonly SortKey[];
  readonly filter: Filter;
}

export const WHOLE: Selection = { fields: null, expansions: [] };

/** Empty for whole records; equal for selections that share a statement. */
export function selectionShape({ fields, expansions }: Selection): string {
  if (fields === null && expansions.length === 0) return "";
  const within = expansions.map(({ relation, selection, list }) => {
    const part = list === null ? "" : `[${list.limit} ${sortShape(list.sort)} ${filterShape(list.filter)}]`;
    return `${relation.name}${part}{${selectionShape(selection)}}`;
  });
  return `${fields === null ? "*" : [...fields].sort().join(",")};${within.join(",")}`;
}

export function sortShape(sort: readonly SortKey[]): string {
  return sort.map((key) => `${key.descending ? "-" : ""}${key.name}`).join(",");
}

/** The values of its filters, in the order in which `SelectionWriter` numbers them. */
export function selectionOperands({ expansions }: Selection): readonly (string | null)[] {
  return expansions.flatMap(({ selection, list }) => [
    ...(list === null ? [] : operandsOf(list.filter)),
    ...selectionOperands(selection),
  ]);
}
