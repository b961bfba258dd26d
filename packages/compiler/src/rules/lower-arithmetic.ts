// Lowers arithmetic, and converts both sides of a comparison to one type. In: operands. Out: SQL that fails for no
// value. A division by zero, and a result outside the range of floats or times, is null; whole numbers and decimals are
// exact.
import type { Arithmetic, Expression, Operator, Type } from "@plinth/expression";
import { once } from "./lower-once.ts";
import type { LowerScope } from "./lower-scope.ts";

type Lower = (expression: Expression, scope: LowerScope) => string;

export function lowerArithmetic(
  operator: Arithmetic,
  left: Expression,
  right: Expression,
  result: Type,
  scope: LowerScope,
  lower: Lower,
): string {
  if (left.type.kind === "date")
    return dates(operator, [left, lower(left, scope)], [right, lower(right, scope)], scope);
  switch (result.kind) {
    case "int":
    case "decimal":
      return exact(operator, asNumeric(left, lower(left, scope)), asNumeric(right, lower(right, scope)), result.kind);
    case "float":
      return float(
        operator,
        asFloat(left, lower(left, scope), scope),
        asFloat(right, lower(right, scope), scope),
        scope,
      );
    case "datetime":
    case "duration":
      return time(operator, [left, lower(left, scope)], [right, lower(right, scope)], scope);
    case "text":
      return `(${lower(left, scope)} || ${lower(right, scope)})`;
    default:
      throw new Error(`arithmetic can't result in a ${result.kind}`);
  }
}

/** Both sides of a comparison: as floats if one of them is one, otherwise unchanged. */
export function lowerSides(
  [left, right]: readonly [Expression, Expression],
  scope: LowerScope,
  lower: Lower,
): readonly [string, string] {
  const [a, b] = [lower(left, scope), lower(right, scope)];
  if (left.type.kind !== "float" && right.type.kind !== "float") return [a, b];
  return [asFloat(left, a, scope), asFloat(right, b, scope)];
}

/** SQL integers overflow: columns, sizes, constants without a point, and conditional values of these. */
export function asNumeric(operand: Expression, sql: string): string {
  return isNumeric(operand) ? sql : `${sql}::numeric`;
}

function isNumeric(operand: Expression): boolean {
  switch (operand.kind) {
    case "operation":
      return isArithmetic(operand.operator);
    case "literal":
      return String(operand.value).includes(".");
    default:
      return operand.type.kind === "decimal";
  }
}

function isArithmetic(operator: Operator): operator is Arithmetic {
  return operator === "+" || operator === "-" || operator === "*" || operator === "/";
}

function exact(operator: Arithmetic, a: string, b: string, kind: "int" | "decimal"): string {
  if (operator !== "/") return `(${a} ${operator} ${b})`;
  // `/` of numerics rounds, with fewer digits the larger the quotient is; div() is exact.
  if (kind === "int") return `div(${a}, nullif(${b}, 0))`;
  return `(div(${a} * 10000000000, nullif(${b}, 0)) * 0.0000000001)`;
}

/** As a double; null if a calculated exact number is outside the range of floats in rules. */
function asFloat({ type, kind }: Expression, sql: string, scope: LowerScope): string {
  if (type.kind === "float") return kind === "literal" ? `${sql}::double precision` : sql;
  if (kind === "literal" || kind === "field") return `${sql}::double precision`;
  return once(scope, [`(${sql})::numeric`], (a) => `case when ${usableFloat(a)} then ${a}::double precision end`);
}

function float(operator: Arithmetic, a: string, b: string, scope: LowerScope): string {
  return once(scope, [a, b], (x, y) => {
    const divisor = operator === "/" ? ` and ${y} <> 0` : "";
    return `case when ${usableFloat(x)} and ${usableFloat(y)}${divisor} then ${x} ${operator} ${y} end`;
  });
}

/** Whether a number can be used in arithmetic of floats. */
export function usableFloat(sql: string): string {
  return `(${sql} = 0 or abs(${sql}) between 1e-150 and 1e150)`;
}

export const DURATION_MAX = "126230400000 seconds";

/** The number of days between the first date and the last. */
const DAYS_MAX = 3_652_058;

function dates(
  operator: Arithmetic,
  [left, a]: readonly [Expression, string],
  [right, b]: readonly [Expression, string],
  scope: LowerScope,
): string {
  if (right.type.kind === "date") return `(${a} - ${b})::numeric`;
  if (right.type.kind === "duration") {
    const midnight: Expression = { ...left, type: { kind: "datetime" } };
    return time(operator, [midnight, `(${a}::timestamp at time zone 'UTC')`], [right, b], scope);
  }
  return once(scope, [`(${a} - '0001-01-01'::date)::numeric`, `(${b})::numeric`], (x, y) => {
    const moved = `${x} ${operator} ${y}`;
    return `case when ${moved} between 0 and ${DAYS_MAX} then '0001-01-01'::date + (${moved})::integer end`;
  });
}

/** Days have 24 hours: the sum uses no time zone. */
function time(
  operator: Arithmetic,
  [left, a]: readonly [Expression, string],
  [right, b]: readonly [Expression, string],
  scope: LowerScope,
): string {
  const plain = (sql: string, { type }: Expression): string =>
    type.kind === "datetime" ? `(${sql} at time zone 'UTC')` : sql;
  const both = left.type.kind === "datetime" && right.type.kind === "datetime";
  return once(scope, [a, b], (x, y) => {
    const sum = `${plain(x, left)} ${operator} ${plain(y, right)}`;
    const result = left.type.kind !== right.type.kind ? `(${sum}) at time zone 'UTC'` : sum;
    const known = both ? `${x} is not null and ${y} is not null` : `${within(x, left)} and ${within(y, right)}`;
    return `case when ${known} then ${result} end`;
  });
}

export function within(sql: string, { type }: Expression): string {
  if (type.kind === "datetime")
    return `${sql} >= '0001-01-01T00:00:00Z'::timestamptz and ${sql} < '10000-01-01 00:00:00+00'::timestamptz`;
  return `${sql} between '-${DURATION_MAX}'::interval and '${DURATION_MAX}'::interval`;
}
