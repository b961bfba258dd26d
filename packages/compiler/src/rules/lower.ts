// Lowers typed expressions to SQL templates. In: an expression, and the row for bare names. Out: SQL with the same
// result (true, false or null) as `evaluate` of packages/expression. It never fails for any row. There are three forms
// of a condition: `holds` (it is true) and `fails` (it is false) are never null, are cheap and can use indexes; `lower`
// is the exact three-valued form, for a condition that is used as a value.

import type { Expression, Operator, Quantifier } from "@plinth/expression";
import { postgresPattern } from "@plinth/expression";
import { entityOf, MEMBERSHIPS_TABLE } from "../sql/catalog.ts";
import { sqlTypeOfValue } from "../sql/column-type.ts";
import { andLiving, relatedFrom } from "../sql/relation-sql.ts";
import { quoteIdentifier as q, quoteText } from "../sql/sql-text.ts";
import { Looks } from "./looks.ts";
import { type AggregateOf, isAggregate, lowerAggregate, type QuantifierOf } from "./lower-aggregate.ts";
import { lowerArithmetic, lowerSides } from "./lower-arithmetic.ts";
import { columnAt, noteLiving } from "./lower-column.ts";
import { contexts, literal, user } from "./lower-constant.ts";
import { lowerFunction } from "./lower-function.ts";
import { lowerMember } from "./lower-member.ts";
import type { LowerScope } from "./lower-scope.ts";

type Each = Extract<Expression, { kind: "each" }>;
type Member = Extract<Expression, { kind: "member" }>;

/** True if the condition is true, otherwise false; never null. */
export function holds(condition: Expression, scope: LowerScope): string {
  if (condition.kind === "literal") return condition.value === true ? "true" : "false";
  if (condition.kind === "operation") {
    const { operator, args } = condition;
    if (operator === "&&" || operator === "||")
      return joined(
        operator,
        args.map((arg) => holds(arg, scope)),
      );
    if (operator === "!") return fails(argument(args, 0), scope);
    if (isNullTest(condition)) return lower(condition, scope);
  }
  if (condition.kind === "sent") return lower(condition, scope);
  if (condition.kind === "member") return memberExists(condition, scope);
  if (condition.kind === "each" && condition.quantifier === "exists") return eachExists(condition, scope, holds);
  if (condition.kind === "each" && condition.quantifier === "all") {
    const none = `not ${eachExists(condition, scope, (one, inner) => `not ${holds(one, inner)}`)}`;
    return joined("&&", [...ownerIsThere(condition, scope), none]);
  }
  return total(condition, scope);
}

/** True if the condition is false, otherwise false; never null. */
export function fails(condition: Expression, scope: LowerScope): string {
  if (condition.kind === "literal") return condition.value === false ? "true" : "false";
  if (condition.kind === "operation") {
    const { operator, args } = condition;
    if (operator === "&&" || operator === "||")
      return joined(
        operator === "&&" ? "||" : "&&",
        args.map((arg) => fails(arg, scope)),
      );
    if (operator === "!") return holds(argument(args, 0), scope);
    if (isNullTest(condition)) return `(not ${lower(condition, scope)})`;
  }
  if (condition.kind === "sent") return `(not ${lower(condition, scope)})`;
  if (condition.kind === "member")
    return joined("&&", [...memberIsKnown(condition, scope), `not ${memberExists(condition, scope)}`]);
  if (condition.kind === "each" && condition.quantifier === "all") return eachExists(condition, scope, fails);
  if (condition.kind === "each" && condition.quantifier === "exists") {
    const none = `not ${eachExists(condition, scope, (one, inner) => `not ${fails(one, inner)}`)}`;
    return joined("&&", [...ownerIsThere(condition, scope), none]);
  }
  return total(condition, scope, "not ");
}

/**
 * Postgres can't use an index through coalesce(), but it can through an AND; and `null and false` is false. A
 * sub-select uses no index here, and is too expensive to write twice.
 */
function total(condition: Expression, scope: LowerScope, not: "not " | "" = ""): string {
  const { sql: lowered, looksAway } = lowerWatching(condition, scope);
  const sql = not === "" ? lowered : `(${not}${lowered})`;
  return looksAway ? `coalesce(${sql}, false)` : `(${sql} and ${sql} is not null)`;
}

/** Including whether it reads rows of any table, which needs a sub-select. */
function lowerWatching(
  expression: Expression,
  scope: LowerScope,
): { readonly sql: string; readonly looksAway: boolean } {
  const looks = new Looks();
  const sql = lower(expression, { ...scope, looks });
  scope.looks?.add(looks);
  return { sql, looksAway: looks.any };
}

/** Exactly the expression's value, null if it is unknown. */
export function lower(expression: Expression, scope: LowerScope): string {
  switch (expression.kind) {
    case "literal":
      return literal(expression);
    case "list":
      return list(expression, scope);
    case "field":
      return field(expression, scope);
    case "sent":
      return `{sent.${expression.field}}`;
    case "user":
      return user(expression.name, scope);
    case "context":
      return contexts[expression.name];
    case "value":
      throw new Error(`no statement knows \`${expression.root}\``);
    case "operation":
      return operation(expression, scope);
    case "each":
      return each(expression, scope);
    case "member":
      return `(case when ${memberIsKnown(expression, scope).join(" and ")} then ${memberExists(expression, scope)} end)`;
  }
}

function list(expression: Extract<Expression, { kind: "list" }>, scope: LowerScope): string {
  const items = expression.items.map((item) => lower(item, scope));
  return `array[${items.join(", ")}]::${sqlTypeOfValue(expression.type)}`;
}

function field({ row, path }: Extract<Expression, { kind: "field" }>, scope: LowerScope): string {
  const name = path.at(-1);
  if (name === undefined) throw new Error("a field without a path");
  if (scope.path !== undefined) return scope.path(path);
  const { entity, sql } = columnAt(row, path, scope, lower);
  if (!entity.fields.has(name)) throw new Error(`${entity.name} has no field ${name}`);
  return sql;
}

function operation(expression: Extract<Expression, { kind: "operation" }>, scope: LowerScope): string {
  const { operator, args } = expression;
  const value = (index: number): string => lower(argument(args, index), scope);
  switch (operator) {
    case "!":
      return `(not ${value(0)})`;
    case "&&":
    case "||":
      return joined(
        operator,
        args.map((arg) => lower(arg, scope)),
      );
    case "in":
      return membership(argument(args, 0), argument(args, 1), scope);
    case "?:": {
      // The simple form contains the condition once, however deep it is.
      const branch = (index: number): string =>
        expression.type.kind === "float"
          ? lowerSides([argument(args, index), literalFloat], scope, lower)[0]
          : value(index);
      return `(case ${value(0)} when true then ${branch(1)} when false then ${branch(2)} end)`;
    }
    case "size":
      return size(argument(args, 0), scope);
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return comparison(operator, argument(args, 0), argument(args, 1), scope);
    case "+":
    case "-":
    case "*":
    case "/":
      return lowerArithmetic(operator, argument(args, 0), argument(args, 1), expression.type, scope, lower);
    case "startsWith":
      return `starts_with(${value(0)}, ${value(1)})`;
    case "endsWith":
      return `(right(${value(0)}, char_length(${value(1)})) collate "C" = ${value(1)})`;
    case "contains":
      return `(strpos(${value(0)}, ${value(1)}) > 0)`;
    case "matches":
      return matches(argument(args, 0), argument(args, 1), scope);
    case ".":
      return lowerMember(value(0), args.slice(1), expression.type, scope);
    default:
      return lowerFunction({ name: operator, value: argument(args, 0), sql: value(0), second: args[1] }, scope);
  }
}

const literalFloat: Expression = { kind: "literal", type: { kind: "float" }, value: 0 };

function joined(operator: "&&" | "||", conditions: readonly string[]): string {
  const [only] = conditions;
  return conditions.length === 1 && only !== undefined
    ? only
    : `(${conditions.join(operator === "&&" ? " and " : " or ")})`;
}

/** Lists of non-scalar values are JSON. */
function size(counted: Expression, scope: LowerScope): string {
  const value = lower(counted, scope);
  if (counted.type.kind === "opaque") return `jsonb_array_length(${value})`;
  return counted.type.kind === "list" ? `cardinality(${value})` : `char_length(${value})`;
}

function matches(subject: Expression, pattern: Expression, scope: LowerScope): string {
  if (pattern.kind !== "literal" || typeof pattern.value !== "string") throw new Error("a pattern is a literal");
  return `(${lower(subject, scope)} collate "C" ~ ${quoteText(postgresPattern(pattern.value))})`;
}

type Comparison = Extract<Operator, "==" | "!=" | "<" | "<=" | ">" | ">=">;

const comparisons: Readonly<Record<Comparison, string>> = {
  "==": "=",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

function comparison(operator: Comparison, left: Expression, right: Expression, scope: LowerScope): string {
  if (left.type.kind === "null" || right.type.kind === "null") return nullTest(operator, left, right, scope);
  const [a, b] = lowerSides([left, right], scope, lower);
  return `(${collated(a, left)} ${comparisons[operator]} ${b})`;
}

/** A comparison with the literal null; both sides can be it. */
function nullTest(operator: Comparison, left: Expression, right: Expression, scope: LowerScope): string {
  const test = operator === "==" ? "is null" : "is not null";
  const subject = right.type.kind === "null" ? left : right;
  return subject.type.kind === "null" ? String(operator === "==") : `(${lower(subject, scope)} ${test})`;
}

function isNullTest({ operator, args }: Extract<Expression, { kind: "operation" }>): boolean {
  return (operator === "==" || operator === "!=") && args.some((arg) => arg.type.kind === "null");
}

function membership(value: Expression, within: Expression, scope: LowerScope): string {
  const subject = collated(lower(value, scope), value);
  if (within.kind !== "list") {
    const { sql, looksAway } = lowerWatching(within, scope);
    // A bare sub-select would be read as a set of values, not as one array.
    return `(${subject} = any(${looksAway ? `${sql}::${sqlTypeOfValue(within.type)}` : sql}))`;
  }
  if (within.items.length === 0) return "false";
  const sides = within.items.map((item) => lowerSides([value, item], scope, lower));
  // If a number is compared with numbers of another type, each pair is converted separately. The same is true for
  // single members: `in ((select ...))` would be a set of values.
  if (sides.length === 1 || sides.some(([own]) => own !== sides[0]?.[0]))
    return joined(
      "||",
      sides.map(([own, item]) => `(${collated(own, value)} = ${item})`),
    );
  return `(${collated(sides[0]![0], value)} in (${sides.map(([, item]) => item).join(", ")}))`;
}

/** Texts are compared by code point, whatever the database's own order is. */
function collated(sql: string, { type }: Expression): string {
  return type.kind === "text" || type.kind === "enum" ? `${sql} collate "C"` : sql;
}

function memberExists({ organization, role }: Member, scope: LowerScope): string {
  const held = role === null ? "" : ` and _own."role" = ${quoteText(role)}`;
  scope.looks?.some(MEMBERSHIPS_TABLE);
  for (const column of ["user_id", "organization_id", "role"]) scope.looks?.column(MEMBERSHIPS_TABLE, column);
  return `exists (select 1 from {schema}.${q(MEMBERSHIPS_TABLE)} _own where _own."user_id" = {user.id}::uuid and _own."organization_id" = ${lower(organization, scope)}${held})`;
}

function memberIsKnown({ organization }: Member, scope: LowerScope): readonly string[] {
  return ["{user.id}::uuid is not null", `${lower(organization, scope)} is not null`];
}

/** If the owner of the relation is behind references, and one of them is empty, the result is unknown. */
function ownerIsThere(each: Each, scope: LowerScope): readonly string[] {
  if (each.path.length === 0) return [];
  return [`${columnAt(each.row, [...each.path, "id"], scope, lower).sql} is not null`];
}

function eachExists(
  each: Each,
  scope: LowerScope,
  judge: (condition: Expression, scope: LowerScope) => string,
): string {
  const { from, where, inner } = related(each, scope);
  const judged = judge(each.condition, inner);
  return `exists (select 1 from ${from} where ${where}${judged === "true" ? "" : ` and ${judged}`})`;
}

function each(expression: Each, scope: LowerScope): string {
  const verdict = isAggregate(expression)
    ? aggregated(expression, scope)
    : quantified(expression as QuantifierOf, scope);
  const [known] = ownerIsThere(expression, scope);
  return known === undefined ? verdict : `(case when ${known} then ${verdict} end)`;
}

function aggregated(each: AggregateOf, scope: LowerScope): string {
  const { from, where, inner } = related(each, scope);
  const value = lower(each.value, inner);
  if (each.condition.kind === "literal" && each.condition.value === true)
    return lowerAggregate(each, `select ${value} as _value from ${from} where ${where}`);
  const judged = `select ${lower(each.condition, inner)} as _held, ${value} as _value from ${from} where ${where}`;
  return lowerAggregate(each, judged, { held: "_judged._held", unknown: UNKNOWN });
}

/** Whether any of the results is unknown. */
const UNKNOWN = "count(*) > count(_judged._held)";

function quantified(expression: QuantifierOf, scope: LowerScope): string {
  const { from, where, inner } = related(expression, scope);
  const judged = `select ${lower(expression.condition, inner)} as _held from ${from} where ${where}`;
  const counted = "count(*) filter (where _judged._held)";
  const verdicts: Readonly<Record<Quantifier, string>> = {
    exists: `case when bool_or(_judged._held) then true when ${UNKNOWN} then null else false end`,
    all: `case when not bool_and(_judged._held) then false when ${UNKNOWN} then null else true end`,
    exists_one: `case when ${counted} > 1 then false when ${UNKNOWN} then null else ${counted} = 1 end`,
    count: `case when ${UNKNOWN} then null else ${counted} end`,
  };
  return `(select ${verdicts[expression.quantifier]} from (${judged}) _judged)`;
}

/**
 * The records of a relation that are not deleted, under a unique alias: an author's variable could hide one of ours.
 */
function related(each: Each, scope: LowerScope): { from: string; where: string; inner: LowerScope } {
  const { catalog } = scope;
  const owner = columnAt(each.row, [...each.path, "id"], scope, lower);
  const relation = owner.entity.relations.get(each.relation);
  if (relation === undefined) throw new Error(`${owner.entity.name} has no relation ${each.relation}`);
  const target = entityOf(catalog, relation.entity);
  const variables = new Map(scope.variables ?? []);
  const alias = `_each${variables.size + 1}`;
  const inner = { ...scope, variables: variables.set(each.variable, { alias, entity: target.name }) };
  const { from, where, table, column } = relatedFrom(
    relation,
    owner.entity,
    target,
    alias,
    owner.sql,
    judgedRow(each, scope),
  );
  scope.looks?.some(target.table);
  noteLiving(target, scope);
  scope.looks?.some(table);
  if (column !== null) scope.looks?.column(table, column);
  return { from, where: `${where}${andLiving(target, alias)}`, inner };
}

/** The row that has the relation; null if another record has it. */
function judgedRow({ row, path }: Each, scope: LowerScope): string | null {
  if (scope.isRead === true) return path.length === 0 && row === "record" ? "row" : null;
  return path.length === 0 && scope.column === undefined && ["record", "old", "new"].includes(row) ? row : null;
}

export function argument(args: readonly Expression[], index: number): Expression {
  const arg = args[index];
  if (arg === undefined) throw new Error(`an operator has no argument ${index + 1}`);
  return arg;
}
