// The parsed request for a list. Types, and the name that ties a cursor to its list. It never contains SQL.
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
  /** The search in the records' searchable texts; null: none. */
  readonly search: TextSearch | null;
  /** Lists the deleted records that can be restored, instead of the living ones. */
  readonly deleted: boolean;
  /** Absent for the list of all records. */
  readonly view?: BundleView;
  /** Where to continue; null for the first page. */
  readonly from: PageStart | null;
  /** How to count all records of the list; null: not at all. */
  readonly count: Counting | null;
}

/** `estimated` counts up to `ESTIMATE_MAX`, which costs about as much as a page. */
export type Counting = "exact" | "estimated";

/** Above this number, an estimate only says that there are at least this many. */
export const ESTIMATE_MAX = 1_000;

/** The sort values of the row next to the page. */
export interface PageStart {
  /** Empty for the list's own end. */
  readonly key: CursorKey;
  /** The page ends before that row, instead of beginning after it. */
  readonly backward: boolean;
}

/** Equal for equal lists of the same project, whatever the page and the selected fields. */
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
