// Writes a filter as SQL over a row. In: a filter, the caller. Out: a condition that is true or not, never unknown. If
// the caller can't read a field in a record, the field counts as null there. Null matches no comparison, nor its
// negation.
import { type EntityView, type StatementCaller, typedValue } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import type { Filter, Operator, Subject } from "./filter.ts";
import { reach, shownIn } from "./reach.ts";

type Test = Extract<Filter, { kind: "test" }>;
type Related = Extract<Filter, { kind: "related" }>;

/** Writes the filters of one statement one after the other. Each of their values has its own number. */
export class FilterWriter {
  readonly #caller: StatementCaller;
  readonly #parameters: Parameters;
  #operands: number;
  #hops = 0;

  /** @param from The number of the first value; the same each time that the same filter is written. */
  constructor(caller: StatementCaller, parameters: Parameters, from = 0) {
    this.#caller = caller;
    this.#parameters = parameters;
    this.#operands = from;
  }

  /** The number of the next value. */
  get next(): number {
    return this.#operands;
  }

  /** True if the filter holds for the row, else false or null. */
  holds(filter: Filter, view: EntityView, row: string): string {
    switch (filter.kind) {
      case "all":
      case "any":
        return this.#joined(filter.kind, filter.of, (each) => this.holds(each, view, row));
      case "not":
        return this.#fails(filter.of, view, row);
      case "test":
        return this.#test(filter, view, row, false);
      case "related":
        return this.#related(filter, view, row);
    }
  }

  /**
   * True if the filter is known not to hold. An unknown condition neither holds nor fails. Without related records, it
   * is known that none matches.
   */
  #fails(filter: Filter, view: EntityView, row: string): string {
    switch (filter.kind) {
      case "all":
      case "any":
        return this.#joined(filter.kind === "all" ? "any" : "all", filter.of, (each) => this.#fails(each, view, row));
      case "not":
        return this.holds(filter.of, view, row);
      case "test":
        return this.#test(filter, view, row, true);
      case "related":
        return `not ${this.#related(filter, view, row)}`;
    }
  }

  #joined(kind: "all" | "any", of: readonly Filter[], write: (filter: Filter) => string): string {
    if (of.length === 0) return kind === "all" ? "true" : "false";
    const written = of.map(write);
    return written.length === 1 ? written[0]! : `(${written.join(kind === "all" ? " and " : " or ")})`;
  }

  #related({ relation, of }: Related, view: EntityView, row: string): string {
    this.#hops++;
    const alias = `_f${this.#hops}`;
    const reached = reach(view, this.#caller, relation, row, alias, this.#parameters);
    const conditions = [...reached.conditions, this.holds(of, reached.view, alias)];
    return `exists (select 1 from ${reached.from} where ${conditions.join(" and ")})`;
  }

  #test({ subject, operator }: Test, view: EntityView, row: string, contrary: boolean): string {
    const left = this.#subject(subject, view, row);
    const shown = view.narrowed ? shownIn(view, this.#caller, subject.field, row, this.#parameters) : [];
    if (operator === "is_null" || operator === "is_set") {
      const isNull = (operator === "is_null") !== contrary;
      const test = `${left} is ${isNull ? "" : "not "}null`;
      if (shown.length === 0) return test;
      return isNull ? `(${test} or not ${shown[0]})` : `(${test} and ${shown[0]})`;
    }
    const test = comparisons[operator](left, (type) => this.#operand(type), subject);
    return [contrary ? `not ${test}` : test, ...shown].join(" and ");
  }

  #subject({ field, path, type }: Subject, view: EntityView, row: string): string {
    const own = typedValue(view, field, row, this.#parameters);
    if (path.length === 0) return own;
    const at = this.#operand("text[]");
    // JSON's null is no value, like a missing member.
    return type === "json" ? `nullif(${own} #> ${at}, 'null'::jsonb)` : `(${own} #>> ${at})::${type}`;
  }

  #operand(type: string): string {
    const operand = this.#parameters.filter(this.#operands, type);
    this.#operands++;
    return operand;
  }
}

type Comparison = (left: string, operand: (type: string) => string, subject: Subject) => string;

/** JSON without a declared type compares with JSON. Its texts and numbers only compare with texts and numbers. */
function plain(sign: string): Comparison {
  return (left, operand, { type }) =>
    type === "json" ? `${left} ${sign} ${operand("jsonb")}` : `${left} ${sign} ${operand(type)}`;
}

/** JSON values only compare with values of the same kind. */
function ordered(sign: string): Comparison {
  return (left, operand, { type }) => {
    if (type !== "json") return `${left} ${sign} ${operand(type)}`;
    const right = operand("jsonb");
    return `case when jsonb_typeof(${left}) = jsonb_typeof(${right}) then ${left} ${sign} ${right} end`;
  };
}

function several(negated: boolean): Comparison {
  return (left, operand, { type }) => {
    const list = operand(type === "json" ? "jsonb[]" : `${type}[]`);
    return negated ? `${left} <> all(${list})` : `${left} = any(${list})`;
  };
}

/** The value is a pattern, with its own wildcards escaped. */
function like(word: "like" | "ilike"): Comparison {
  return (left, operand, { type }) => {
    const text = type === "json" ? `(case when jsonb_typeof(${left}) = 'string' then ${left} #>> '{}' end)` : left;
    // Columns have a byte order, in which only ASCII letters have a case. The database's own collation knows the
    // others.
    return `${word === "ilike" ? `(${text} collate "default")` : text} ${word} ${operand("text")}`;
  };
}

/** Lists in an array; JSON lists by their members. */
function containing(sign: "@>" | "&&"): Comparison {
  return (left, operand, { type }) => {
    if (type !== "json" && type !== "jsonb") return `${left} ${sign} ${operand(type)}`;
    const right = operand("jsonb[]");
    const held = `${left} @> _item.value`;
    const each = `select ${held} as held from unnest(${right}) as _item(value)`;
    return sign === "@>"
      ? `(${left} is not null and not exists (select 1 from (${each}) _any where not _any.held))`
      : `exists (select 1 from (${each}) _any where _any.held)`;
  };
}

const comparisons: Readonly<Record<Exclude<Operator, "is_null" | "is_set">, Comparison>> = {
  eq: plain("="),
  ne: plain("<>"),
  gt: ordered(">"),
  gte: ordered(">="),
  lt: ordered("<"),
  lte: ordered("<="),
  in: several(false),
  nin: several(true),
  ieq: like("ilike"),
  contains: like("like"),
  icontains: like("ilike"),
  starts_with: like("like"),
  istarts_with: like("ilike"),
  ends_with: like("like"),
  iends_with: like("ilike"),
  has: containing("@>"),
  has_any: containing("&&"),
  has_all: containing("@>"),
};
