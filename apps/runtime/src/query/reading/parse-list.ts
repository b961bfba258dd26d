// Reads the query string of a list. In: the text after `?`. Out: a ListQuery, or a Fault that names the parameter. It
// never ignores an unknown parameter: without its misspelt filter, a list would show all rows.
import type { BundleView } from "@plinth/bundle";
import { Fault } from "@plinth/service";
import type { ActiveRelease } from "../../project/active-release.ts";
import type { Principal } from "../../project/principal.ts";
import type { CursorCodec } from "../cursor.ts";
import type { EntityView } from "../entity-view.ts";
import { pageBound, readabilityOf } from "../readable-fields.ts";
import { didYouMean } from "../suggest.ts";
import { EVERYTHING, type Filter } from "./filter.ts";
import { habitOfParameter } from "./habits.ts";
import { type Counting, type ListQuery, listName, type PageStart } from "./list-query.ts";
import { both, parseFilters, parseWhere } from "./parse-filter.ts";
import { isExpandOption, limitOf, parseSelection, selectionParameters } from "./parse-selection.ts";
import { parseQueryString } from "./query-string.ts";
import { bad, unknown } from "./refusals.ts";
import { parseSearch } from "./search.ts";
import { type Selection, WHOLE } from "./selection.ts";
import { bestFirst, newestFirst, parseSort, type SortKey } from "./sort.ts";

const LIMIT_DEFAULT = 20;
const reserved = ["limit", "cursor", "sort", "where", "count", "q", ...selectionParameters] as const;
/** Only for the project's operators. No field's name begins like this, so it conflicts with no filter. */
const DELETED = "_deleted";

export interface ListContext {
  readonly release: ActiveRelease;
  readonly principal: Principal | Pick<Principal, "roles">;
  readonly cursors: CursorCodec;
}

/**
 * @throws Fault `bad_request`, `unknown_parameter`, `invalid_cursor`, `forbidden` (a field that the caller can't read).
 */
export function parseList(
  text: string,
  view: EntityView,
  { release, principal, cursors }: ListContext,
  listed: BundleView | null = null,
): ListQuery {
  const { roles } = principal;
  const { pageMax } = release.bundle.limits;
  const bound = pageBound(view, roles, pageMax);
  const usual = Math.min(listed?.limit ?? LIMIT_DEFAULT, bound);
  const ofView = listed === null ? {} : { view: listed };
  const own = listed === null ? newestFirst(view) : orderOf(listed, view, roles);
  if (text === "") return { ...wholeList, sort: own, limit: usual, ...ofView };
  const parameters = parseQueryString(text);
  const deleted = asksForDeleted(parameters.get(DELETED), view, principal);
  const filter = filterIn(parameters, view, roles, deleted ? [...reserved, DELETED] : reserved);
  const search = parseSearch(parameters.get("q"), view, roles);
  const order = parameters.get("sort");
  const sort = order === undefined ? (search === null ? own : bestFirst(view, search)) : parseSort(order, view, roles);
  const cursor = parameters.get("cursor");
  const list = listName(release.projectId, view.entity.name, { sort, filter, deleted, search, ...ofView });
  return {
    limit: limitOf(parameters.get("limit"), usual, bound, "limit"),
    sort,
    filter,
    selection: parseSelection(parameters, view, roles, pageMax),
    deleted,
    search,
    from: cursor === undefined ? null : startOf(cursors, cursor, list),
    count: countingOf(parameters.get("count")),
    ...ofView,
  };
}

/** The parameters for one record: `fields` and `expand`. @throws Fault like `parseList`. */
export function parseReading(
  text: string,
  view: EntityView,
  { release, principal }: Omit<ListContext, "cursors">,
): Selection {
  if (text === "") return WHOLE;
  const parameters = parseQueryString(text);
  for (const name of parameters.keys()) {
    if (isExpandOption(name) || selectionParameters.some((each) => each === name)) continue;
    const hint = didYouMean(name, selectionParameters) || habitOfParameter(name, () => false);
    const message = `Reading a record takes ${selectionParameters.join(" and ")}.${hint}`;
    throw unknown(name, message, message);
  }
  return parseSelection(parameters, view, principal.roles, release.bundle.limits.pageMax);
}

/** All records, unchanged, from the first page on. */
const wholeList: Omit<ListQuery, "limit" | "sort"> = {
  filter: EVERYTHING,
  selection: WHOLE,
  deleted: false,
  search: null,
  from: null,
  count: null,
};

/**
 * A view's own order. It only uses fields that the caller can read in every record; otherwise the positions of records
 * would reveal hidden values.
 */
function orderOf({ sort }: BundleView, view: EntityView, roles: readonly string[]): readonly SortKey[] {
  const open = sort.filter(({ field: name }) => {
    const field = view.fields.get(name);
    return field !== undefined && readabilityOf(view, field, roles) === "always";
  });
  if (open.length === 0) return newestFirst(view);
  return parseSort(open.map(({ field, descending }) => `${descending ? "-" : ""}${field}`).join(","), view, roles);
}

/** The filters among the parameters, and `where`. @param others Like in `parseFilters`. */
export function filterIn(
  parameters: ReadonlyMap<string, string>,
  view: EntityView,
  roles: readonly string[],
  others: readonly string[],
): Filter {
  const filters = new Map([...parameters].filter(([name]) => !isExpandOption(name)));
  const where = parameters.get("where");
  const given = parseFilters(filters, view, roles, others);
  return where === undefined ? given : both(given, parseWhere(where, view, roles, "where"));
}

/** The name for cursors that go backward in the same list. */
export function backwardName(list: string): string {
  return `${list} backward`;
}

function startOf(cursors: CursorCodec, cursor: string, list: string): PageStart {
  const key = cursors.open(cursor, list);
  if (key !== null) return { key, backward: false };
  const before = cursors.open(cursor, backwardName(list));
  if (before !== null) return { key: before, backward: true };
  throw new Fault("invalid_cursor", {
    detail: "Send the cursor with the same filter and sort as in the request that returned it.",
  });
}

function countingOf(text: string | undefined): Counting | null {
  if (text === undefined) return null;
  if (text === "exact" || text === "estimated") return text;
  throw bad(
    "count",
    "not_allowed",
    "It must be `exact` or `estimated`. To filter by a field of that name, write count[eq].",
  );
}

/** False for everybody else: the parameter is then unknown, like any other that isn't a field. */
function asksForDeleted(text: string | undefined, view: EntityView, principal: ListContext["principal"]): boolean {
  if (text === undefined || view.entity.softDelete === null) return false;
  if (!("kind" in principal) || principal.kind !== "operator" || principal.readOnly) return false;
  if (text === "only") return true;
  throw bad(DELETED, "not_allowed", "It must be `only`, or left out.");
}
