// What a list request asks for, parsed. In: nothing. Out: types, and the name that ties a cursor to its list.
// It never holds SQL.
import type { BundleView } from "@plinth/bundle";
import type { CursorKey } from "../cursor.ts";
import { type Filter, filterName, operandsOf } from "./filter.ts";
import type { TextSearch } from "./search-terms.ts";
import { type Selection, selectionOperands, sortShape } from "./selection.ts";
import type { SortKey } from "./sort.ts";

export interface ListQuery {
  readonly limit: number;
  /** Ends with the id, which breaks ties. */
  readonly sort: readonly SortKey[];
  readonly filter: Filter;
  readonly selection: Selection;
  /** What the searchable texts of the records hold; null: anything. */
  readonly search: TextSearch | null;
  /** The records that are deleted, and can be restored, in the place of those that are not. */
  readonly deleted: boolean;
  /** Absent for the list of all. */
  readonly view?: BundleView;
  /** Where to go on; null for the first page. */
  readonly from: PageStart | null;
  /** How to count all records of the list; null: not at all. */
  readonly count: Counting | null;
}

/** `estimated` counts so far that it costs about as much as a page: up to `ESTIMATE_MAX`. */
export type Counting = "exact" | "estimated";

/** Beyond it an estimate says no more than that there are as many. */
export const ESTIMATE_MAX = 1_000;

/** The sort values of the row beside the page. */
export interface PageStart {
  /** Empty for the list's own end. */
  readonly key: CursorKey;
  /** The page ends before that row, in the place of beginning behind it. */
  readonly backward: boolean;
}

/** Equal for equal lists of one project alone, whatever the page and whatever is shown of the records. */
export function listName(
  projectId: string,
  entity: string,
  { sort, filter, deleted, search, view }: Pick<ListQuery, "sort" | "filter" | "deleted" | "search" | "view">,
): string {
  const more = [
    ...(deleted ? ["deleted"] : []),
    ...(search === null ? [] : ["q", search.text]),
    ...(view === undefined ? [] : [{ view: view.name }]),
  ];
  return JSON.stringify([projectId, entity, sortShape(sort), filterName(filter), ...more]);
}

/** The values of its filters in the order in which its statement has them. */
export function operands({ filter, selection }: Pick<ListQuery, "filter" | "selection">): readonly (string | null)[] {
  return [...operandsOf(filter), ...selectionOperands(selection)];
}
