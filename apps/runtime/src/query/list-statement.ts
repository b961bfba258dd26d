// Writes the statement of a list: a keyset page under the caller's rule. In: the list's shape. Out: SQL and slots.
// It never skips rows by OFFSET and never leaves a NULL's place to chance: they come last ascending, first descending.
import type { BundleField } from "@plinth/bundle";
import type { Lane } from "../http/contracts.ts";
import { column, type EntityView, fill, permission } from "./entity-view.ts";
import type { ListQuery, SortKey } from "./list-query.ts";
import { Parameters } from "./parameters.ts";
import type { Statement } from "./statements.ts";

/**
 * The rows that a statement fetches, one more than it shows. A parameter in LIMIT would make Postgres plan every call
 * (it can't know how far to go), and a text per limit would make a hundred texts: so a few constants, cut in Node.
 */
const PAGE_SIZES: readonly number[] = [10, 20, 50, 100];

export function fetchedRows(limit: number): number {
  const size = PAGE_SIZES.find((size) => size >= limit);
  if (size === undefined) throw new Error(`no page holds ${limit} rows`);
  return size + 1;
}

/** Equal for queries that one statement serves. */
export function listShape(query: ListQuery): string {
  const keys = query.sort.map((key) => `${key.descending ? "-" : ""}${key.field.name}`).join(",");
  const after = query.after === null ? "" : query.after.map((value) => (value === null ? "n" : "v")).join("");
  return `${fetchedRows(query.limit)} ${keys} ${[...query.filters.keys()].join(",")} ${after}`;
}

/** Columns: the fields in their order (texts to be wrapped as JSON), then the sort keys as Postgres writes them. */
export function listStatement(view: EntityView, roles: readonly string[], query: ListQuery): Statement {
  const parameters = new Parameters();
  const fields = view.entity.fields.map((field) => {
    const value = fill(field.select, view.schema, parameters, { row: "r" });
    // Postgres prints a boolean as `t` or `f`; its cast to text is JSON's.
    return field.sqlType === "boolean" ? `(${value})::text` : value;
  });
  const conditions = [
    permission(view, "read", roles, parameters, { record: "r" }),
    ...[...query.filters.keys()].map((name) => {
      const field = view.fields.get(name);
      if (field === undefined) throw new Error(`${view.entity.name} has no field ${name}`);
      return `${column("r", field)} = ${parameters.value(name, field.sqlType)}`;
    }),
  ].filter((condition) => condition !== "true");
  if (query.after !== null) conditions.push(behind(query, parameters));
  const order = query.sort.map(
    ({ field, descending }) =>
      `${column("r", field)} ${descending ? "desc" : "asc"}${field.optional ? (descending ? " nulls first" : " nulls last") : ""}`,
  );
  const text =
    `select ${[...fields, ...query.sort.map((key) => `${column("r", key.field)}::text`)].join(", ")} ` +
    `from ${view.from} r${conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`} ` +
    `order by ${order.join(", ")} limit ${fetchedRows(query.limit)}`;
  return { text, slots: parameters.slots, lane: laneOf(view, query), keep: true };
}

/** Rows that come behind the cursor's. */
function behind(query: ListQuery, parameters: Parameters): string {
  const { sort } = query;
  const value = (position: number): string => parameters.cursor(position, sort[position]!.field.sqlType);
  const uniform = sort.every((key) => !key.field.optional && key.descending === sort[0]!.descending);
  if (uniform) {
    // A row comparison is one range of an index; the general form below is none.
    const left = sort.map((key) => column("r", key.field)).join(", ");
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
  return given === null ? `${column("r", key.field)} is null` : `${column("r", key.field)} = ${value()}`;
}

function later({ field, descending }: SortKey, given: string | null, value: () => string): string {
  const name = column("r", field);
  if (given === null) return descending ? `${name} is not null` : "false";
  if (descending) return `${name} < ${value()}`;
  return field.optional ? `(${name} > ${value()} or ${name} is null)` : `${name} > ${value()}`;
}

/**
 * Fast only where an index gives the rows in the order asked for, filters first: then a page is a short walk (or, under
 * a rule that hides most rows, one that the lane's time limit ends and the slow lane takes over). Everything else may
 * sort a whole table, and would hold up the statements behind it.
 */
function laneOf(view: EntityView, query: ListQuery): Lane {
  const filters = new Set([...query.filters.keys()].map((name) => view.fields.get(name)?.column));
  if (filters.has("id")) return "fast";
  const order = query.sort.map((key) => key.field);
  const indexes = [["id"], ...(view.table?.indexes ?? []), ...(view.table?.uniques ?? [])].map((index) =>
    "columns" in index ? index.columns : index,
  );
  const direction = query.sort[0]?.descending;
  if (query.sort.some((key) => key.descending !== direction)) return "slow";
  return indexes.some((columns) => givesOrder(columns, filters, order)) ? "fast" : "slow";
}

function givesOrder(
  columns: readonly string[],
  filters: ReadonlySet<string | undefined>,
  order: readonly BundleField[],
): boolean {
  const led = columns.slice(0, filters.size);
  if (led.length !== filters.size || !led.every((name) => filters.has(name))) return false;
  return order.every((field, i) => columns[filters.size + i] === field.column);
}
