// What a caller asks of the records of a list, checked: a tree of conditions. In: nothing. Out: its types, its shape, and the
// values that fill it. It never holds SQL, and its shape never holds a value: one statement serves all values.
import type { BundleField, BundleRelation } from "@plinth/bundle";
import { arrayLiteral } from "../parameters.ts";

/** What a test does with a value. `is_null` and `is_set` take none. */
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

/** What is compared: a field's column, or what stands in its JSON at a path. */
export interface Subject {
  readonly field: BundleField;
  readonly path: readonly string[];
  /** What it is compared as; `json` for JSON whose members nobody has declared, compared as JSON. */
  readonly type: string;
}

export type Filter =
  | { readonly kind: "all" | "any"; readonly of: readonly Filter[] }
  | { readonly kind: "not"; readonly of: Filter }
  | {
      readonly kind: "test";
      readonly subject: Subject;
      readonly operator: Operator;
      /** In Postgres's text form, of several an array; null where the operator takes none. */
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

/** Equal for filters that one statement serves. */
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

/** Equal for equal filters; what ties a cursor to its list. */
export function filterName(filter: Filter): string {
  return JSON.stringify([filterShape(filter), operandsOf(filter)]);
}

/** The same conditions in an order that doesn't depend on the one in which they were sent, so that equal shapes have one text. */
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

/** The values of its tests in the order in which `filterSql` asks for them: of each the path, where it has one, and what it is compared with. */
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

/** Whether it looks at no other record. */
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

/** How many tests there are in it. */
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
