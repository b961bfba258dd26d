// Lowers arithmetic, and brings the two sides of a comparison to one type. In: operands. Out: SQL that fails on no value.
// What would divide by zero or leave the range of floats or times is null; whole numbers and decimals are exact.
import type { Arithmetic, Expression, Type } from "@plinth/expression";
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
  switch (result.kind) {
    case "int":
    case "decimal":
      return exact(operator, asNumeric(left, lower(left, scope)), asNumeric(right, lower(right, scope)), result.kind);
    case "float":
      return float(operator, asFloat(left, lower(left, scope)), asFloat(right, lower(right, scope)));
    case "datetime":
    case "duration":
      return time(operator, [left, lower(left, scope)], [right, lower(right, scope)]);
    case "text":
      return `(${lower(left, scope)} || ${lower(right, scope)})`;
    default:
      throw new Error(`no arithmetic makes a ${result.kind}`);
  }
}

/** Both sides of a comparison: as floats where one of them is one, else as they are. */
export function lowerSides(
  [left, right]: readonly [Expression, Expression],
  scope: LowerScope,
  lower: Lower,
): readonly [string, string] {
  const [a, b] = [lower(left, scope), lower(right, scope)];
  if (left.type.kind !== "float" && right.type.kind !== "float") return [a, b];
  return [asFloat(left, a), asFloat(right, b)];
}

function asNumeric({ type, kind }: Expression, sql: string): string {
  // Columns of whole numbers would overflow; all else is numeric already, or a literal.
  return type.kind === "int" && kind !== "operation" ? `${sql}::numeric` : sql;
}

function exact(operator: Arithmetic, a: string, b: string, kind: "int" | "decimal"): string {
  if (operator !== "/") return `(${a} ${operator} ${b})`;
  // `/` of numerics rounds, and to fewer digits the larger the quotient is; div() is exact.
  if (kind === "int") return `div(${a}, nullif(${b}, 0))`;
  return `(div(${a} * 10000000000, nullif(${b}, 0)) * 0.0000000001)`;
}

/** As a double; null where an exact number that was calculated is out of what rules take for floats. */
function asFloat({ type, kind }: Expression, sql: string): string {
  if (type.kind === "float") return kind === "literal" ? `${sql}::double precision` : sql;
  if (kind === "literal" || kind === "field") return `${sql}::double precision`;
  return `(select case when _v._a = 0 or abs(_v._a) between 1e-150 and 1e150 then _v._a::double precision end from (select (${sql})::numeric as _a offset 0) _v)`;
}

/** Each operand stands once in the text (`offset 0` keeps it so in the plan): else nesting would double it every time. */
function float(operator: Arithmetic, a: string, b: string): string {
  const usable = (name: string): string => `(_v._${name} = 0 or abs(_v._${name}) between 1e-150 and 1e150)`;
  const divisor = operator === "/" ? " and _v._b <> 0" : "";
  return `(select case when ${usable("a")} and ${usable("b")}${divisor} then _v._a ${operator} _v._b end from (select ${a} as _a, ${b} as _b offset 0) _v)`;
}

const durationMax = "126230400000 seconds";

/** Days are of 24 hours: the sum is made without a time zone. */
function time(
  operator: Arithmetic,
  [left, a]: readonly [Expression, string],
  [right, b]: readonly [Expression, string],
): string {
  const plain = (name: string, { type }: Expression): string =>
    type.kind === "datetime" ? `(_v._${name} at time zone 'UTC')` : `_v._${name}`;
  const sum = `${plain("a", left)} ${operator} ${plain("b", right)}`;
  const both = left.type.kind === "datetime" && right.type.kind === "datetime";
  const result = left.type.kind !== right.type.kind ? `(${sum}) at time zone 'UTC'` : sum;
  const known = both ? "_v._a is not null and _v._b is not null" : `${within("a", left)} and ${within("b", right)}`;
  return `(select case when ${known} then ${result} end from (select ${a} as _a, ${b} as _b offset 0) _v)`;
}

function within(name: string, { type }: Expression): string {
  if (type.kind === "datetime")
    return `_v._${name} >= '0001-01-01T00:00:00Z'::timestamptz and _v._${name} < '9999-12-31T23:59:59.999999Z'::timestamptz + '1 microsecond'::interval`;
  return `_v._${name} between '-${durationMax}'::interval and '${durationMax}'::interval`;
}
