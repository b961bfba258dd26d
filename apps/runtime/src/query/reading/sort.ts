// The order of a list. In: `sort=-created_at,author.username`. Out: keys, and their SQL over a row. A choice is in the
// order in which its values are declared. It never sorts by a field that is hidden in some records, because their
// positions would reveal it.
import type { BundleField, BundleRelation } from "@plinth/bundle";
import { quoteLiteral } from "@plinth/postgres";
import { type EntityView, type StatementCaller, typedValue } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import { readabilityOf } from "../readable-fields.ts";
import { didYouMean } from "../suggest.ts";
import { choicesOf, operatorsOf, whyUnordered } from "./operators.ts";
import { findNamed } from "./paths.ts";
import { isToMany, reach } from "./reach.ts";
import { bad, unreadable } from "./refusals.ts";
import { searchRank } from "./search.ts";
import type { TextSearch } from "./search-terms.ts";

const SORT_KEYS_MAX = 3;
/** Longer lists of choices are lists of codes, such as countries, and are sorted by the code. */
const CHOICES_MAX = 100;

export interface SortKey {
  /** As written in `sort`. */
  readonly name: string;
  readonly field: BundleField;
  readonly descending: boolean;
  /** References to follow to the record that has the field. */
  readonly hops: readonly BundleRelation[];
  /** For a choice: its values in their order. */
  readonly choices: readonly string[] | null;
  /** By how well the record's texts match the search, instead of by a field. */
  readonly ranked?: "by words" | "by likeness";
}

/** The expression in `order by`, and how a cursor's value of it is read. */
export function isNullable({ field, hops, ranked }: SortKey): boolean {
  return ranked === undefined && (field.optional || hops.length > 0);
}

export function sortType({ field, choices, ranked }: SortKey): string {
  if (ranked !== undefined) return "real";
  return choices === null ? field.sqlType : "integer";
}

/** The key's value of a row. */
export function sortValue(
  key: SortKey,
  view: EntityView,
  caller: StatementCaller,
  row: string,
  parameters: Parameters,
): string {
  const at = (owner: EntityView, alias: string, hops: readonly BundleRelation[]): string => {
    const [relation, ...more] = hops;
    if (relation === undefined) return positioned(typedValue(owner, key.field, alias, parameters), key);
    const next = `_s${key.hops.length - more.length}`;
    const { view: target, from, conditions } = reach(owner, caller, relation, alias, next, parameters);
    return `(select ${at(target, next, more)} from ${from} where ${conditions.join(" and ")})`;
  };
  if (key.ranked === undefined) return at(view, row, key.hops);
  return searchRank(view, key.ranked === "by likeness", parameters);
}

function positioned(sql: string, { choices }: SortKey): string {
  if (choices === null) return sql;
  return `array_position(array[${choices.map(quoteLiteral).join(", ")}]::text[], ${sql})`;
}

/** ` desc nulls first`, and so on: the position of nulls is always defined. */
export function direction(key: SortKey): string {
  const nulls = isNullable(key) ? (key.descending ? " nulls first" : " nulls last") : "";
  return `${key.descending ? "desc" : "asc"}${nulls}`;
}

/** @param text The text of `sort`; undefined: the newest first. @throws Fault 400, 403. */
export function parseSort(
  text: string | undefined,
  view: EntityView,
  roles: readonly string[],
  parameter = "sort",
): readonly SortKey[] {
  if (text === undefined) return newestFirst(view);
  const keys = text.split(",", SORT_KEYS_MAX + 2).map((part) => {
    const descending = part.startsWith("-");
    return keyOf(descending ? part.slice(1) : part, descending, view, roles, parameter);
  });
  if (keys.length > SORT_KEYS_MAX) {
    throw bad(parameter, "too_many", `Records can be sorted by at most ${SORT_KEYS_MAX} fields.`);
  }
  const names = new Set(keys.map((key) => key.name));
  if (names.size !== keys.length) throw bad(parameter, "repeated", "A field is named more than once.");
  // The id breaks ties in the direction of the key before it, so that one index can serve both.
  return names.has("id") ? keys : [...keys, plainKey(idOf(view), keys.at(-1)?.descending ?? true)];
}

function keyOf(
  name: string,
  descending: boolean,
  view: EntityView,
  roles: readonly string[],
  parameter: string,
): SortKey {
  const { hops, view: owner, subject } = namedKey(name, view, roles, parameter);
  const { field } = subject;
  if (subject.path.length > 0 || !field.filterable || operatorsOf(subject, owner).length === 0) {
    const message = `Records can't be sorted by ${name.slice(0, 64)}: ${whyUnordered(field)}`;
    throw bad(parameter, "not_allowed", message);
  }
  const many = hops.find(isToMany);
  if (many !== undefined) {
    throw bad(parameter, "not_allowed", `${many.name} is a list of records, which has no order of its own.`);
  }
  if (readabilityOf(owner, field, roles) !== "always") throw unreadable(parameter, name, "sort by");
  const choices = choicesOf(subject, owner);
  return { name, field, descending, hops, choices: (choices?.length ?? 0) > CHOICES_MAX ? null : choices };
}

function namedKey(
  name: string,
  view: EntityView,
  roles: readonly string[],
  parameter: string,
): ReturnType<typeof findNamed> {
  if (name.includes(".") || view.fields.get(name)?.hidden === false) {
    return findNamed(view, name, roles, parameter, "sort by");
  }
  const open = view.shown.filter((field) => field.filterable && readabilityOf(view, field, roles) === "always");
  const hint = didYouMean(
    name,
    open.map((field) => field.name),
  );
  const shown = name.slice(0, 64);
  throw bad(parameter, "unknown_field", `There is no field "${shown}" to sort by.${hint}`);
}

/**
 * In the order of the indexes that the compiler creates for lists. Sorted by the id alone, a filter would read row by
 * row.
 */
export function newestFirst(view: EntityView): readonly SortKey[] {
  const createdAt = view.stored.find((field) => field.name === "created_at" && !field.optional);
  const keys = createdAt === undefined ? [idOf(view)] : [createdAt, idOf(view)];
  return keys.map((field) => plainKey(field, true));
}

/** The best matches of a search first; among equal ones, the newest. */
export function bestFirst(view: EntityView, { isFuzzy }: TextSearch): readonly SortKey[] {
  const ranked = isFuzzy ? "by likeness" : "by words";
  return [{ ...plainKey(idOf(view), true), name: "_rank", ranked }, ...newestFirst(view)];
}

export function plainKey(field: BundleField, descending: boolean): SortKey {
  return { name: field.name, field, descending, hops: [], choices: null };
}

function idOf(view: EntityView): BundleField {
  const id = view.fields.get("id");
  if (id === undefined) throw new Error(`${view.entity.name} has no id`);
  return id;
}
