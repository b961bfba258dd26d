// Arithmetic of rules. In: an operator, its operands and the type of the result. Out: the result, or null (unknown).
// Nothing here throws: a division by zero, and a result outside the range of floats or times, is unknown.
import { asOperand, type Datum } from "./datum.ts";
import { addExact, DIVISION_PLACES, divideExact, type Exact, multiplyExact, subtractExact } from "./exact.ts";
import { DAY, DURATION_OPERAND_MAX, INSTANT_MAX, INSTANT_MIN, parseDate, printDate } from "./temporal.ts";
import type { Arithmetic, Type } from "./tree.ts";

export function calculate(
  operator: Arithmetic,
  a: Datum | null,
  b: Datum | null,
  types: { readonly left: Type; readonly right: Type; readonly result: Type },
): Datum | null {
  if (a === null || b === null) return null;
  if (types.left.kind === "date") return calculateDates(operator, a, b, types.right);
  if (a.kind === "text" && b.kind === "text") return { kind: "text", value: a.value + b.value };
  if (a.kind === "micros" && b.kind === "micros") return calculateTimes(operator, a.value, b.value, types);
  if (a.kind === "exact" && b.kind === "exact") {
    const value = calculateExact(operator, a.value, b.value, types.result.kind === "int" ? 0 : DIVISION_PLACES);
    return value === null ? null : { kind: "exact", value };
  }
  const [x, y] = [asOperand(a), asOperand(b)];
  if (x === null || y === null || (operator === "/" && y === 0)) return null;
  return { kind: "float", value: calculateFloats(operator, x, y) };
}

function calculateExact(operator: Arithmetic, a: Exact, b: Exact, places: number): Exact | null {
  switch (operator) {
    case "+":
      return addExact(a, b);
    case "-":
      return subtractExact(a, b);
    case "*":
      return multiplyExact(a, b);
    case "/":
      return divideExact(a, b, places);
  }
}

function calculateFloats(operator: Arithmetic, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
  }
}

function calculateTimes(
  operator: Arithmetic,
  a: bigint,
  b: bigint,
  types: { readonly left: Type; readonly right: Type },
): Datum | null {
  if (types.left.kind !== "datetime" || types.right.kind !== "datetime") {
    for (const [value, type] of [
      [a, types.left],
      [b, types.right],
    ] as const) {
      const known =
        type.kind === "datetime"
          ? isWithin(value, INSTANT_MIN, INSTANT_MAX)
          : isWithin(value, -DURATION_OPERAND_MAX, DURATION_OPERAND_MAX);
      if (!known) return null;
    }
  }
  return { kind: "micros", value: operator === "+" ? a + b : a - b };
}

function calculateDates(operator: Arithmetic, a: Datum, b: Datum, right: Type): Datum | null {
  const days = a.kind === "text" ? parseDate(a.value) : null;
  if (days === null) return null;
  if (b.kind === "text") {
    const other = parseDate(b.value);
    return other === null ? null : { kind: "exact", value: { digits: BigInt(days - other), scale: 0 } };
  }
  if (b.kind === "micros") {
    const instant = BigInt(days) * DAY;
    return calculateTimes(operator, instant, b.value, { left: { kind: "datetime" }, right });
  }
  if (b.kind !== "exact") return null;
  const moved = operator === "+" ? BigInt(days) + b.value.digits : BigInt(days) - b.value.digits;
  const text = moved > -DAYS_MAX && moved < DAYS_MAX ? printDate(Number(moved)) : null;
  return text === null ? null : { kind: "text", value: text };
}

/** More days than there are between any date and 1970. */
const DAYS_MAX = 10_000_000n;

function isWithin(value: bigint, min: bigint, max: bigint): boolean {
  return value >= min && value <= max;
}
