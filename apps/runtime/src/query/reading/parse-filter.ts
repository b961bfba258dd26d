// Reads filters: `status=active`, `price[gte]=10`, `author.username[in]=ana,ben`, and `where=<JSON>` with and, or, not.
// In: the parameters. Out: one filter, or a Fault that names the parameter. It never ignores a parameter that it
// doesn't know.
import type { BundleField, BundleRelation } from "@plinth/bundle";
import type { EntityView } from "../entity-view.ts";
import { EVERYTHING, type Filter, inOrder, type Subject, testsIn } from "./filter.ts";
import { isOperator, testOf } from "./operators.ts";
import { findNamed, findRelation, requireRelation } from "./paths.ts";
import { isToMany, targetOf } from "./reach.ts";
import { bad } from "./refusals.ts";

const TESTS_MAX = 20;
const WHERE_CHARS_MAX = 8192;
const WHERE_DEPTH_MAX = 8;

/**
 * The filters among the parameters. @param others Other allowed parameters, by their whole names. A name with an
 * operator in brackets is always a filter. @throws Fault `bad_request`, `unknown_parameter`, `forbidden`.
 */
export function parseFilters(
  parameters: ReadonlyMap<string, string>,
  view: EntityView,
  roles: readonly string[],
  others: readonly string[],
): Filter {
  const of: Filter[] = [];
  for (const [parameter, text] of parameters) {
    if (others.includes(parameter)) continue;
    const [, name = parameter, operator = "eq"] = /^([^[\]]+)\[([^[\]]+)\]$/.exec(parameter) ?? [];
    const { hops, view: at, subject } = findNamed(view, name, roles, parameter, "filter by", others);
    of.push(reached(hops, testOf(at, subject, operator, { kind: "text", text }, parameter)));
  }
  return requireFew({ kind: "all", of });
}

/** @param text JSON. @throws Fault like `parseFilters`. */
export function parseWhere(text: string, view: EntityView, roles: readonly string[], parameter: string): Filter {
  if (text.length > WHERE_CHARS_MAX) {
    throw bad(parameter, "too_long", `It may have at most ${WHERE_CHARS_MAX} characters.`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw bad(parameter, "invalid_format", 'It must be JSON, such as {"<field>":"<value>"}.');
  }
  return requireFew(new WhereReader(roles).object(json, view, parameter, 0), parameter);
}

/** Both filters must hold. */
export function both(one: Filter, other: Filter): Filter {
  if (one.kind === "all" && one.of.length === 0) return other;
  if (other.kind === "all" && other.of.length === 0) return one;
  return inOrder({ kind: "all", of: [one, other] });
}

/** `at` is the position of a condition: `where.and.0.price.gte`. */
class WhereReader {
  readonly #roles: readonly string[];

  constructor(roles: readonly string[]) {
    this.#roles = roles;
  }

  object(json: unknown, view: EntityView, at: string, depth: number): Filter {
    if (!isObject(json)) throw bad(at, "invalid_format", 'It must be an object: {"<field>":"<value>"}.');
    if (depth > WHERE_DEPTH_MAX) throw bad(at, "invalid_format", `It may be nested ${WHERE_DEPTH_MAX} deep.`);
    const of = Object.entries(json).map(([name, value]) => this.#member(name, value, view, `${at}.${name}`, depth + 1));
    return { kind: "all", of };
  }

  #member(name: string, value: unknown, view: EntityView, at: string, depth: number): Filter {
    switch (name) {
      case "and":
      case "or": {
        if (!Array.isArray(value)) throw bad(at, "invalid_format", `${name} takes a list of conditions.`);
        const of = value.map((each, i) => this.object(each, view, `${at}.${i}`, depth));
        return { kind: name === "and" ? "all" : "any", of };
      }
      case "not":
        return { kind: "not", of: this.object(value, view, at, depth) };
      default:
        return this.#named(name, value, view, at, depth);
    }
  }

  /** A relation with conditions on its records, or a field with a value or operators. */
  #named(name: string, value: unknown, view: EntityView, at: string, depth: number): Filter {
    const relation = isObject(value) ? findRelation(view, name) : undefined;
    if (relation !== undefined && !isOperators(value, view.fields.get(name), targetOf(view, relation))) {
      requireRelation(view, relation, this.#roles, at, "filter by");
      return { kind: "related", relation, of: this.object(value, targetOf(view, relation), at, depth) };
    }
    const { hops, view: owner, subject } = findNamed(view, name, this.#roles, at, "filter by");
    if (!isObject(value)) return reached(hops, valueTest(owner, subject, "eq", value, at));
    const of = Object.entries(value).map(([operator, sent]) =>
      reached(hops, valueTest(owner, subject, operator, sent, `${at}.${operator}`)),
    );
    return { kind: "all", of };
  }
}

/** Null can't be compared with. It tests whether there is a value. */
function valueTest(view: EntityView, subject: Subject, operator: string, sent: unknown, at: string): Filter {
  if (sent === null && (operator === "eq" || operator === "ne")) {
    return testOf(view, subject, "is_null", { kind: "json", value: operator === "eq" }, at);
  }
  return testOf(view, subject, operator, { kind: "json", value: sent }, at);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A field and its relation can have the same name: `created_by`, and every many-to-many field. This decides whether a
 * condition is about the field. Operators of lists always are.
 */
function isOperators(value: unknown, field: BundleField | undefined, target: EntityView): boolean {
  const keys = Object.keys(value as object);
  if (keys.some((key) => ["is_null", "has", "has_any", "has_all"].includes(key))) return true;
  return field !== undefined && keys.length > 0 && keys.every((key) => isOperator(key) && !target.fields.has(key));
}

/** If a reference leads to no record that the caller can read, there is no value: `is_null` is true. */
function reached(hops: readonly BundleRelation[], test: Filter): Filter {
  const isNull = test.kind === "test" && test.operator === "is_null";
  if (!isNull || hops.length === 0 || hops.some(isToMany)) return through(hops, test);
  return { kind: "not", of: through(hops, { ...test, operator: "is_set" }) };
}

function through(hops: readonly BundleRelation[], filter: Filter): Filter {
  return hops.reduceRight<Filter>((of, relation) => ({ kind: "related", relation, of }), filter);
}

function requireFew(filter: Filter, parameter = ""): Filter {
  if (testsIn(filter) > TESTS_MAX) throw bad(parameter, "too_many", `At most ${TESTS_MAX} filters can be given.`);
  const ordered = inOrder(filter);
  return ordered.kind === "all" && ordered.of.length === 0 ? EVERYTHING : ordered;
}
