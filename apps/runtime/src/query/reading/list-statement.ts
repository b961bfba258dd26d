// Writes the statement of a list: a keyset page under the caller's rule. In: the list's shape. Out: SQL and slots. It
// never skips rows with OFFSET, and always defines the order of NULLs: last when ascending, first when descending.
import type { BundleField, Predicate } from "@plinth/bundle";
import { ALWAYS } from "../condition.ts";
import {
  column,
  deleted,
  type EntityView,
  living,
  oneHolds,
  permission,
  type StatementCaller,
} from "../entity-view.ts";
import { Parameters } from "../parameters.ts";
import { shownValue } from "../readable-fields.ts";
import type { Statement } from "../statement.ts";
import { type Audited, auditOf } from "../trace.ts";
import { auditOfExpanded, auditOfLooks, type ShownRecords } from "./audited-reads.ts";
import { filterShape } from "./filter.ts";
import { FilterWriter } from "./filter-sql.ts";
import { type Counting, ESTIMATE_MAX, type ListQuery } from "./list-query.ts";
import { searchConditions } from "./search.ts";
import { selectionShape, sortShape } from "./selection.ts";
import { SelectionWriter, selectedFields } from "./selection-sql.ts";
import { direction, isNullable, type SortKey, sortType, sortValue } from "./sort.ts";
import { boundedJson } from "./too-large.ts";

/** One member of a record, read from a column of the row. */
export interface Member {
  /** Its name in the record, with the colon. */
  readonly label: Buffer;
  /**
   * `instant`: Postgres's own text of an instant. Node converts it to RFC 3339 at a fraction of the cost of `to_char`.
   */
  readonly wire: BundleField["wire"] | "instant";
  /** The column that says whether this record shows it; null if all do. */
  readonly flag: number | null;
}

export function memberOf(name: string, wire: Member["wire"], flag: number | null = null): Member {
  return { label: Buffer.from(`"${name}":`), wire, flag };
}

export interface ListStatement extends Statement {
  /** In the order of the columns. */
  readonly members: readonly Member[];
  /** The column of each sort key. */
  readonly keysAt: readonly number[];
  /** The column of the id: null in a row that only counts. */
  readonly idAt: number;
  /** The column with the count of the list, in each row. An empty first page has no row: then the count is 0. */
  readonly countAt: number | null;
}

/**
 * The number of rows that a statement fetches, one more than it shows. With a parameter in LIMIT, Postgres would plan
 * every call, because it can't know how many rows are needed. With a text per limit, there would be a hundred texts. So
 * there are a few constants, and Node cuts the rest off.
 */
const PAGE_SIZES: readonly number[] = [1, 10, 20, 50, 100, 200, 500, 1000];

export function fetchedRows(limit: number): number {
  return (PAGE_SIZES.find((size) => size >= limit) ?? limit) + 1;
}

/** Equal for queries that share a statement. */
export function listShape({ limit, sort, filter, selection, deleted, search, view, from, count }: ListQuery): string {
  const start = from === null ? "" : from.key.map((value) => (value === null ? "n" : "v")).join("");
  const marks = `${deleted ? "deleted" : ""}${from?.backward === true ? "back" : ""}${count ?? ""}${search === null ? "" : search.isFuzzy ? "q~" : "q"}${view === undefined ? "" : ` in ${view.name}`}`;
  return `${fetchedRows(limit)} ${sortShape(sort)} ${filterShape(filter)} ${marks} ${start} ${selectionShape(selection)}`;
}

/** Columns: the fields in their order (texts to be wrapped as JSON), the flags of hidden ones, then the sort keys. */
export function listStatement(view: EntityView, caller: StatementCaller, query: ListQuery): ListStatement {
  const parameters = new Parameters(view.fields);
  const filters = new FilterWriter(caller, parameters);
  const conditions = conditionsOf(view, caller, query, parameters, filters);
  const shown = selectedFields(view, caller, query.selection);
  const values = shown.map(({ field }) => {
    if (isInstant(field)) return column("_r", field);
    const value = shownValue(view, caller, field, "_r", parameters);
    // Postgres prints a boolean as `t` or `f`; its cast to text is JSON's.
    return field.sqlType === "boolean" ? `(${value})::text` : value;
  });
  const expanding = { selection: query.selection, operand: filters.next };
  const writer = new SelectionWriter(caller, parameters, filters);
  const within = query.selection.expansions.map((expansion) => boundedJson(writer.expanded(view, "_r", expansion)));
  const flags = [
    ...new Set(shown.flatMap(({ rules }) => (rules === null ? [] : [shownWhere(view, rules, parameters)]))),
  ];
  const flagsAt = values.length + within.length;
  const members: readonly Member[] = [
    ...shown.map(({ field, rules }) => {
      const flag = rules === null ? null : flagsAt + flags.indexOf(shownWhere(view, rules, parameters));
      return memberOf(field.name, isInstant(field) ? "instant" : field.wire, flag);
    }),
    ...query.selection.expansions.map(({ relation }) => memberOf(relation.name, "raw")),
  ];
  const sort = query.from?.backward === true ? query.sort.map(reversed) : query.sort;
  const keys = sort.map((key) => sortValue(key, view, caller, "_r", parameters));
  const columns = [...values, ...within, ...flags];
  const keysAt = keys.map((key) => {
    // A key that is already a column needs no second one.
    const at = columns.findIndex((sql) => sql === key || sql === `(${key})::text`);
    return at === -1 ? columns.push(`(${key})::text`) - 1 : at;
  });
  const idAt = keysAt[sort.findIndex(({ name }) => name === "id")]!;
  const order = sort.map((key, at) => `${keys[at]} ${direction(key)}`).join(", ");
  const start =
    query.from === null || query.from.key.length === 0 ? [] : [behind(sort, keys, query.from.key, parameters)];
  const from = `from ${view.from} _r${whereOf([...conditions, ...start])}`;
  const limit = fetchedRows(query.limit);
  const counted = countOf(`from ${view.from} _r${whereOf(conditions)}`, query.count);
  const page = { members, keysAt, idAt, countAt: counted === null ? null : columns.length, keep: true } as const;
  const audited: readonly Audited[] = [
    ...(view.entity.audit === "all" ? [listedOf(view, parameters)] : []),
    ...auditOfExpanded(view, caller, parameters, expanding, () => onPage(parameters)),
    ...auditOfLooks(view, { filter: query.filter, keys: query.sort }, query.selection),
  ];
  const isAudited = audited.length > 0;
  // If the first page has no row, the count is known to be 0.
  if (!isAudited && (counted === null || query.from === null)) {
    const all = counted === null ? columns : [...columns, `${counted}::text`];
    const text = `select ${all.join(", ")} ${from} order by ${order} limit ${limit}`;
    return { text, slots: parameters.slots, lane: "earned", writes: false, ...page };
  }
  const named = columns.map((sql, i) => `${sql} as _c${i}`).join(", ");
  const numbered =
    `_page as (select _r."id" as _id, row_number() over (order by ${order}) as _n, ${named} ` +
    `${from} order by ${order} limit ${limit})`;
  const chosen = columns.map((_, i) => `_page._c${i}`);
  // An empty page needs the count too.
  const rows =
    counted === null
      ? `select ${chosen.join(", ")} from _page order by _page._n`
      : `select ${[...chosen, "_all._count::text"].join(", ")} from (select ${counted} as _count) _all left join _page on true order by _page._n`;
  const audit = isAudited ? `, ${auditOf(parameters, audited)}` : "";
  const text = `with ${numbered}${audit} ${rows}`;
  return { text, slots: parameters.slots, lane: isAudited ? "slow" : "earned", writes: isAudited, ...page };
}

function countOf(from: string, counting: Counting | null): string | null {
  if (counting === null) return null;
  if (counting === "exact") return `(select count(*) ${from})`;
  return `(select count(*) from (select ${from} limit ${ESTIMATE_MAX + 1}) _some)`;
}

/** The records of a page: those that are shown, without the one fetched beyond it. */
function onPage(parameters: Parameters): ShownRecords {
  return { from: "_page _p", id: "_p._id", where: `_p._n <= ${parameters.limit()}` };
}

/** One audit row that names them. */
function listedOf(view: EntityView, parameters: Parameters): Audited {
  const { from, where } = onPage(parameters);
  const ids = `(select coalesce(jsonb_agg(_p._id order by _p._n), '[]'::jsonb) from ${from} where ${where})`;
  const changes = `jsonb_build_object('ids', ${ids})`;
  return { view, operation: "list", changes, from: "(select 1) as _once", row: null };
}

function shownWhere(view: EntityView, rules: readonly Predicate[], parameters: Parameters): string {
  return oneHolds(view, rules, parameters, { record: "_r" }).sql;
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
}

/** For all records of the list, whatever the page. */
function conditionsOf(
  view: EntityView,
  caller: StatementCaller,
  query: ListQuery,
  parameters: Parameters,
  filters: FilterWriter,
): readonly string[] {
  const seen = permission(view, "read", caller, parameters, { record: "_r" });
  const listed = query.view === undefined ? ALWAYS : oneHolds(view, [query.view.where], parameters, { record: "_r" });
  const present = query.deleted ? deleted(view, "_r") : living(view, "_r").slice(" and ".length);
  const matching = filters.holds(query.filter, view, "_r");
  return [
    ...(seen.kind === "always" ? [] : [seen.sql]),
    ...(listed.kind === "always" ? [] : [listed.sql]),
    ...(present === "" ? [] : [present]),
    ...(matching === "true" ? [] : [matching]),
    ...(query.search === null ? [] : searchConditions(view, query.search, caller, parameters)),
  ];
}

/** Whether Postgres prints the column's own value. */
function isInstant({ sqlType, column: stored, select }: BundleField): boolean {
  return sqlType === "timestamptz" && stored !== null && select.startsWith("to_char(");
}

function reversed(key: SortKey): SortKey {
  return { ...key, descending: !key.descending };
}

/** Rows that come after the cursor's row. */
function behind(
  sort: readonly SortKey[],
  keys: readonly string[],
  start: readonly (string | null)[],
  parameters: Parameters,
): string {
  const value = (position: number): string => parameters.cursor(position, sortType(sort[position]!));
  const uniform = sort.every((key) => !isNullable(key) && key.descending === sort[0]!.descending);
  if (uniform) {
    // A row comparison is one range of an index; the general form below is not.
    const right = sort.map((_, position) => value(position)).join(", ");
    return `(${keys.join(", ")}) ${sort[0]!.descending ? "<" : ">"} (${right})`;
  }
  const arms = sort.map((key, position) => {
    const same = keys.slice(0, position).map((earlier, i) => equal(earlier, start[i] ?? null, () => value(i)));
    return [...same, later(key, keys[position]!, start[position] ?? null, () => value(position))].join(" and ");
  });
  return `(${arms.map((arm) => `(${arm})`).join(" or ")})`;
}

/** `value` is only called if it is used in the text: Postgres can't type an unused parameter. */
function equal(key: string, given: string | null, value: () => string): string {
  return given === null ? `${key} is null` : `${key} = ${value()}`;
}

function later(key: SortKey, sql: string, given: string | null, value: () => string): string {
  if (given === null) return key.descending ? `${sql} is not null` : "false";
  if (key.descending) return `${sql} < ${value()}`;
  return isNullable(key) ? `(${sql} > ${value()} or ${sql} is null)` : `${sql} > ${value()}`;
}
