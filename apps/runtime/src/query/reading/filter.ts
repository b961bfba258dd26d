// The checked filter of a list: a tree of conditions. Types, the filter's shape, and its values. It never contains SQL,
// and its shape never contains a value, so one statement serves all values.
import type { BundleField, BundleRelation } from "@plinth/bundle";
import { arrayLiteral } from "../parameters.ts";

/** The operation of a test. `is_null` and `is_set` take none. */
export type Operator =
  | "eq"
  | "ieq"
  | "ne"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "in"
  | "nin"
  | "contains"
  | "icontains"
  | "starts_with"
  | "istarts_with"
  | "ends_with"
  | "iends_with"
  | "has"
  | "has_any"
  | "has_all"
  | "is_null"
  | "is_set";

/** The compared value: a field's column, or a value at a path in its JSON. */
export interface Subject {
  readonly field: BundleField;
  readonly path: readonly string[];
  /** The type of the comparison; `json` for JSON members without a declared type. */
  readonly type: string;
}

export type Filter =
  | { readonly kind: "all" | "any"; readonly of: readonly Filter[] }
  | { readonly kind: "not"; readonly of: Filter }
  | {
      readonly kind: "test";
      readonly subject: Subject;
      readonly operator: Operator;
      /** In Postgres's text form, an array for several values; null if the operator takes none. */
      readonly value: string | null;
    }
  /** To one: that record matches. To many: one of them does. */
  | { readonly kind: "related"; readonly relation: BundleRelation; readonly of: Filter };

export const EVERYTHING: Filter = { kind: "all", of: [] };

/** Records whose fields have these values. */
export function equalTo(fields: ReadonlyMap<string, BundleField>, values: ReadonlyMap<string, string>): Filter {
  const of = [...values].map(([name, value]): Filter => {
    const field = fields.get(name);
    if (field === undefined) throw new Error(`there is no field ${name}`);
    return { kind: "test", subject: { field, path: [], type: field.sqlType }, operator: "eq", value };
  });
  return { kind: "all", of };
}

/** Equal for filters that share a statement. */
export function filterShape(filter: Filter): string {
  switch (filter.kind) {
    case "all":
    case "any":
      return `${filter.kind === "all" ? "and" : "or"}(${filter.of.map(filterShape).join(",")})`;
    case "not":
      return `not(${filterShape(filter.of)})`;
    case "related":
      return `${filter.relation.name}.${filterShape(filter.of)}`;
    case "test": {
      const { subject, operator } = filter;
      const path = subject.path.length === 0 ? "" : `:${subject.type}`;
      return `${subject.field.name}${path}[${operator}]`;
    }
  }
}

/** Equal for equal filters. It ties a cursor to its list. */
export function filterName(filter: Filter): string {
  return JSON.stringify([filterShape(filter), operandsOf(filter)]);
}

/** The same conditions in an order that doesn't depend on the request, so that equal shapes have the same text. */
export function inOrder(filter: Filter): Filter {
  switch (filter.kind) {
    case "all":
    case "any": {
      const of = filter.of.map(inOrder).map((each) => ({ each, shape: filterShape(each) }));
      of.sort((one, other) => (one.shape < other.shape ? -1 : one.shape > other.shape ? 1 : 0));
      const sorted = of.map(({ each }) => each);
      return sorted.length === 1 ? sorted[0]! : { kind: filter.kind, of: sorted };
    }
    case "not":
      return { kind: "not", of: inOrder(filter.of) };
    case "related":
      return { ...filter, of: inOrder(filter.of) };
    case "test":
      return filter;
  }
}

/**
 * The values of its tests in the order in which `FilterWriter` numbers them: for each test its path, if it has one, and
 * its value.
 */
export function operandsOf(filter: Filter): readonly (string | null)[] {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.of.flatMap(operandsOf);
    case "not":
    case "related":
      return operandsOf(filter.of);
    case "test": {
      const { subject, operator, value } = filter;
      const path = subject.path.length === 0 ? [] : [arrayLiteral(subject.path)];
      return operator === "is_null" || operator === "is_set" ? path : [...path, value];
    }
  }
}

/** Whether it only looks at the record itself. */
export function isOfOwnFields(filter: Filter): boolean {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.of.every(isOfOwnFields);
    case "not":
      return isOfOwnFields(filter.of);
    case "related":
      return false;
    case "test":
      return true;
  }
}

/** The number of its tests. */
export function testsIn(filter: Filter): number {
  switch (filter.kind) {
    case "all":
    case "any":
      return filter.of.reduce((sum, each) => sum + testsIn(each), 0);
    case "not":
    case "related":
      return testsIn(filter.of);
    case "test":
      return 1;
  }
}
