// Writes the statement of a list: a keyset page under the caller's rule. In: the list's shape. Out: SQL and slots.
// It never skips rows by OFFSET and never leaves a NULL's place to chance: they come last ascending, first descending.
import type { BundleField, Predicate } from "@plinth/bundle";
import {
  type Asker,
  column,
  deleted,
  type EntityView,
  living,
  oneHolds,
  permission,
  wireValue,
} from "./entity-view.ts";
import type { ListQuery, SortKey } from "./list-query.ts";
import { Parameters } from "./parameters.ts";
import { readableFields } from "./readable-fields.ts";
import type { Statement } from "./statement.ts";
import { auditOf } from "./trace.ts";

/** One member of a record, read from a column of the row. */
export interface Member {
  readonly name: string;
  readonly wire: BundleField["wire"];
  /** The column that tells whether this record shows it; null where all do. */
  readonly flag: number | null;
}

export interface ListStatement extends Statement {
  /** In the order of the columns. */
  readonly members: readonly Member[];
  /** Where the sort keys stand, behind members and flags. */
  readonly keysAt: number;
}

/**
 * The rows that a statement fetches, one more than it shows. A parameter in LIMIT would make Postgres plan every call
 * (it can't know how far to go), and a text per limit would make a hundred texts: so a few constants, cut in Node.
 */
const PAGE_SIZES: readonly number[] = [10, 20, 50, 100, 200, 500, 1000];

export function fetchedRows(limit: number): number {
  return (PAGE_SIZES.find((size) => size >= limit) ?? limit) + 1;
}

/** Equal for queries that one statement serves. */
export function listShape(query: ListQuery): string {
  const keys = query.sort.map((key) => `${key.descending ? "-" : ""}${key.field.name}`).join(",");
  const after = query.after === null ? "" : query.after.map((value) => (value === null ? "n" : "v")).join("");
  return `${fetchedRows(query.limit)} ${keys} ${[...query.filters.keys()].join(",")} ${query.deleted ? "deleted" : ""} ${after}`;
}

/** Columns: the fields in their order (texts to be wrapped as JSON), what tells the hidden ones, then the sort keys. */
export function listStatement(view: EntityView, asker: Asker, query: ListQuery): ListStatement {
  const parameters = new Parameters(view.fields);
  const shown = readableFields(view, asker.roles);
  const values = shown.map(({ field }) => {
    const value = wireValue(view, field, "_r", parameters);
    // Postgres prints a boolean as `t` or `f`; its cast to text is JSON's.
    return field.sqlType === "boolean" ? `(${value})::text` : value;
  });
  const flags = [
    ...new Set(shown.flatMap(({ rules }) => (rules === null ? [] : [shownWhere(view, rules, parameters)]))),
  ];
  const members = shown.map(({ field, rules }) => ({
    name: field.name,
    wire: field.wire,
    flag: rules === null ? null : values.length + flags.indexOf(shownWhere(view, rules, parameters)),
  }));
  const keysAt = values.length + flags.length;
  const columns = [...values, ...flags, ...query.sort.map((key) => `${column("_r", key.field)}::text`)];
  const order = query.sort.map(
    ({ field, descending }) =>
      `${column("_r", field)} ${descending ? "desc" : "asc"}${field.optional ? (descending ? " nulls first" : " nulls last") : ""}`,
  );
  const conditions = conditionsOf(view, asker, query, parameters);
  const from = `from ${view.from} _r${conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`}`;
  const limit = `order by ${order.join(", ")} limit ${fetchedRows(query.limit)}`;
  const page = { members, keysAt, keep: true } as const;
  if (view.entity.audit === "writes") {
    const text = `select ${columns.join(", ")} ${from} ${limit}`;
    return { text, slots: parameters.slots, lane: "earned", writes: false, ...page };
  }
  return {
    text: auditedList(view, columns, from, order, limit, parameters),
    slots: parameters.slots,
    lane: "slow",
    writes: true,
    ...page,
  };
}

/** A page, and one audit row that names the records on it: those that are shown, not the one fetched beyond. */
function auditedList(
  view: EntityView,
  columns: readonly string[],
  from: string,
  order: readonly string[],
  limit: string,
  parameters: Parameters,
): string {
  const named = columns.map((sql, i) => `${sql} as _c${i}`).join(", ");
  const ids = `(select coalesce(jsonb_agg(_p._id order by _p._n), '[]'::jsonb) from _page _p where _p._n <= ${parameters.limit()})`;
  const changes = `jsonb_build_object('ids', ${ids})`;
  const audit = auditOf(parameters, [{ view, operation: "list", changes, from: "(select 1) as _once", row: null }]);
  return (
    `with _page as (select _r."id" as _id, row_number() over (order by ${order.join(", ")}) as _n, ${named} ${from} ${limit}), ` +
    `${audit} ` +
    `select ${columns.map((_, i) => `_page._c${i}`).join(", ")} from _page order by _page._n`
  );
}

function shownWhere(view: EntityView, rules: readonly Predicate[], parameters: Parameters): string {
  return oneHolds(view, rules, parameters, { record: "_r" }).sql;
}

function conditionsOf(view: EntityView, asker: Asker, query: ListQuery, parameters: Parameters): string[] {
  const seen = permission(view, "read", asker, parameters, { record: "_r" });
  const present = query.deleted ? deleted(view, "_r") : living(view, "_r").slice(" and ".length);
  const conditions = [
    ...(seen.kind === "always" ? [] : [seen.sql]),
    ...(present === "" ? [] : [present]),
    ...[...query.filters.keys()].map((name) => filterOf(view, asker, name, "_r", parameters)),
  ];
  if (query.after !== null) conditions.push(behind(query, parameters));
  return conditions;
}

/** A record whose field the caller may not read doesn't match: else the filter would tell the value. */
export function filterOf(view: EntityView, asker: Asker, name: string, row: string, parameters: Parameters): string {
  const field = view.fields.get(name);
  if (field === undefined) throw new Error(`${view.entity.name} has no field ${name}`);
  const matches = `${column(row, field)} = ${parameters.filter(field)}`;
  if (!view.narrowed) return matches;
  const rules = readableFields(view, asker.roles).find((each) => each.field.name === name)?.rules ?? null;
  return rules === null ? matches : `(${matches} and ${oneHolds(view, rules, parameters, { record: row }).sql})`;
}

/** Rows that come behind the cursor's. */
function behind(query: ListQuery, parameters: Parameters): string {
  const { sort } = query;
  const value = (position: number): string => parameters.cursor(position, sort[position]!.field.sqlType);
  const uniform = sort.every((key) => !key.field.optional && key.descending === sort[0]!.descending);
  if (uniform) {
    // A row comparison is one range of an index; the general form below is none.
    const left = sort.map((key) => column("_r", key.field)).join(", ");
    const right = sort.map((_, position) => value(position)).join(", ");
    return `(${left}) ${sort[0]!.descending ? "<" : ">"} (${right})`;
  }
  const arms = sort.map((key, position) => {
    const same = sort.slice(0, position).map((earlier, i) => equal(earlier, query.after?.[i] ?? null, () => value(i)));
    return [...same, later(key, query.after?.[position] ?? null, () => value(position))].join(" and ");
  });
  return `(${arms.map((arm) => `(${arm})`).join(" or ")})`;
}

/** `value` is asked for only where it stands in the text: Postgres can't type a parameter that nothing uses. */
function equal(key: SortKey, given: string | null, value: () => string): string {
  return given === null ? `${column("_r", key.field)} is null` : `${column("_r", key.field)} = ${value()}`;
}

function later({ field, descending }: SortKey, given: string | null, value: () => string): string {
  const name = column("_r", field);
  if (given === null) return descending ? `${name} is not null` : "false";
  if (descending) return `${name} < ${value()}`;
  return field.optional ? `(${name} > ${value()} or ${name} is null)` : `${name} > ${value()}`;
}
