// What a list request asks for, parsed. In: nothing. Out: types, and the name that ties a cursor to its list.
// It never holds SQL.
import type { BundleField } from "@plinth/bundle";
import type { CursorKey } from "./cursor.ts";

export interface SortKey {
  readonly field: BundleField;
  readonly descending: boolean;
}

export interface ListQuery {
  readonly limit: number;
  /** Ends with the id, which breaks ties. */
  readonly sort: readonly SortKey[];
  /** By field name, sorted; values are texts that Postgres reads as the field's type. */
  readonly filters: ReadonlyMap<string, string>;
  /** The records that are deleted, and can be restored, in the place of those that are not. */
  readonly deleted: boolean;
  /** Where to go on: the sort values of the row before. */
  readonly after: CursorKey | null;
}

/** Equal for equal lists of one project alone, whatever the page. */
export function listName(
  projectId: string,
  entity: string,
  { sort, filters, deleted }: Pick<ListQuery, "sort" | "filters" | "deleted">,
): string {
  const keys = sort.map((key) => `${key.descending ? "-" : ""}${key.field.name}`);
  return JSON.stringify([projectId, entity, keys, [...filters], ...(deleted ? ["deleted"] : [])]);
}
