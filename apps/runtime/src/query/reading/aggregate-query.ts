// Reads `select=count,sum(price)&group_by=status,created_at.month` with its filters. In: a query string. Out: the
// calculation, or a Fault that names the parameter. Without `select`, the groups are the distinct values.
import type { BundleField } from "@plinth/bundle";
import type { EntityView } from "../entity-view.ts";
import { readabilityOf } from "../readable-fields.ts";
import { didYouMean } from "../suggest.ts";
import { type Filter, filterShape } from "./filter.ts";
import { choicesOf, operatorsOf, whyUnordered } from "./operators.ts";
import { filterIn, type ListContext } from "./parse-list.ts";
import { limitOf } from "./parse-selection.ts";
import { findNamed } from "./paths.ts";
import { parseQueryString } from "./query-string.ts";
import { isToMany } from "./reach.ts";
import { bad, unreadable } from "./refusals.ts";
import { plainKey, type SortKey } from "./sort.ts";

const KEYS_MAX = 4;
const VALUES_MAX = 20;
const GROUPS_MAX = 1_000;
const GROUPS_DEFAULT = 100;

const functions = ["count", "count_distinct", "sum", "avg", "min", "max"] as const;
export const dateParts = ["year", "quarter", "month", "week", "day", "hour"] as const;
export const aggregateParameters = ["select", "group_by", "sort", "limit", "where"] as const;

export interface AggregateQuery {
  readonly groups: readonly Group[];
  readonly values: readonly AggregateValue[];
  /** Positions in the groups followed by the values. */
  readonly sort: readonly { readonly at: number; readonly descending: boolean }[];
  readonly filter: Filter;
  readonly limit: number;
}

export interface Group {
  /** As in the request, and in the reply. */
  readonly name: string;
  readonly key: SortKey;
  /** The part of a date or time that groups use. */
  readonly part: (typeof dateParts)[number] | null;
}

export interface AggregateValue {
  readonly name: string;
  readonly function: (typeof functions)[number];
  /** Null if records are counted. */
  readonly field: BundleField | null;
}

/** Equal for queries that share a statement. */
export function aggregateShape({ groups, values, sort, filter, limit }: AggregateQuery): string {
  const names = [...groups, ...values].map(({ name }) => name);
  const order = sort.map(({ at, descending }) => `${descending ? "-" : ""}${at}`);
  return `${names.join(",")} ${groups.length} ${order.join(",")} ${limit} ${filterShape(filter)}`;
}

/** @throws Fault `bad_request`, `unknown_parameter`, `forbidden` (a field that the caller can't read). */
export function parseAggregate(text: string, view: EntityView, { principal }: ListContext): AggregateQuery {
  const { roles } = principal;
  const parameters = parseQueryString(text);
  const groups = partsOf(parameters.get("group_by")).map((name) => groupOf(name, view, roles));
  const values = partsOf(parameters.get("select")).map((name) => aggregateOf(name, view, roles));
  if (groups.length + values.length === 0) {
    throw bad("select", "required", "Choose what to calculate: select=count, or group_by=<field>.");
  }
  if (groups.length > KEYS_MAX)
    throw bad("group_by", "too_many", `Records can be grouped by at most ${KEYS_MAX} fields.`);
  if (values.length > VALUES_MAX) throw bad("select", "too_many", `At most ${VALUES_MAX} values can be calculated.`);
  const names = [...groups, ...values].map(({ name }) => name);
  if (new Set(names).size !== names.length) throw bad("select", "repeated", "A value is named more than once.");
  return {
    groups,
    values,
    sort: sortOf(parameters.get("sort"), names, groups.length),
    filter: filterIn(parameters, view, roles, aggregateParameters),
    limit: limitOf(parameters.get("limit"), GROUPS_DEFAULT, GROUPS_MAX, "limit"),
  };
}

function partsOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(",", VALUES_MAX + 2);
}

function groupOf(name: string, view: EntityView, roles: readonly string[]): Group {
  const dot = name.lastIndexOf(".");
  const part = dateParts.find((each) => each === name.slice(dot + 1)) ?? null;
  const path = part === null ? name : name.slice(0, dot);
  // A record can have a field called `day`, which then has priority.
  const asWritten = part === null || view.entity.relations.some((relation) => relation.name === path);
  const { hops, view: owner, subject } = findNamed(view, asWritten ? name : path, roles, "group_by", "group by");
  const { field } = subject;
  const isTime = field.sqlType === "date" || field.sqlType === "timestamptz";
  const isPlain =
    subject.path.length === 0 &&
    field.filterable &&
    operatorsOf(subject, owner).length > 0 &&
    !isReckonedDuration(field);
  if (!isPlain || hops.some(isToMany) || (!asWritten && !isTime)) {
    const why = isPlain
      ? hops.some(isToMany)
        ? "it leads to many records."
        : `only a date or a time has a ${part ?? "part"}.`
      : whyUnordered(field);
    throw bad("group_by", "not_allowed", `Records can't be grouped by ${name.slice(0, 64)}: ${why}`);
  }
  if (hops.length > 0 && readabilityOf(owner, field, roles) !== "always")
    throw unreadable("group_by", name, "group by");
  const key: SortKey = { ...plainKey(field, false), name: path, hops, choices: choicesOf(subject, owner) };
  return { name, key, part: asWritten ? null : part };
}

/** A calculated duration can be negative, or have more hours than a day, which no text of an ordinary duration has. */
function isReckonedDuration({ sqlType, value }: BundleField): boolean {
  return sqlType === "interval" && value !== undefined;
}

const numeric = /^(integer|bigint|numeric|double precision)/;

function aggregateOf(text: string, view: EntityView, roles: readonly string[]): AggregateValue {
  if (text === "count") return { name: text, function: "count", field: null };
  const [, called = "", name = ""] = /^([a-z_]+)\(([^()]+)\)$/.exec(text) ?? [];
  const known = functions.find((each) => each === called);
  if (known === undefined) {
    const hint = didYouMean(called === "" ? text : called, functions);
    throw bad(
      "select",
      "unknown_function",
      `It can be count, or ${functions.slice(1).join(", ")} of a field: sum(<field>).${hint}`,
    );
  }
  const { hops, subject } = findNamed(view, name, roles, "select", "calculate with");
  const { field } = subject;
  const fits =
    hops.length === 0 &&
    subject.path.length === 0 &&
    field.filterable &&
    operatorsOf(subject, view).length > 0 &&
    !isReckonedDuration(field) &&
    (known !== "sum" && known !== "avg" ? true : numeric.test(field.sqlType)) &&
    (known !== "min" && known !== "max" ? true : field.sqlType !== "boolean" && field.sqlType !== "uuid");
  if (fits) return { name: text, function: known, field };
  const why =
    hops.length > 0
      ? "it belongs to another entity. Calculate over the records of that entity."
      : (known === "sum" || known === "avg") && !numeric.test(field.sqlType)
        ? "it isn't a number."
        : whyUnordered(field);
  throw bad("select", "not_allowed", `The ${known} of ${name.slice(0, 64)} can't be calculated: ${why}`);
}

function sortOf(text: string | undefined, names: readonly string[], groups: number): AggregateQuery["sort"] {
  const requested = partsOf(text).map((part) => {
    const descending = part.startsWith("-");
    const name = descending ? part.slice(1) : part;
    const at = names.indexOf(name);
    if (at !== -1) return { at, descending };
    const hint = didYouMean(name, names);
    throw bad("sort", "unknown_field", `Groups can be sorted by the values in the reply: ${names.join(", ")}.${hint}`);
  });
  const rest = Array.from({ length: groups }, (_, at) => ({ at, descending: false }));
  return [...requested, ...rest.filter(({ at }) => !requested.some((each) => each.at === at))];
}
