// Computes aggregates over a relation. In: the known values, in any order. Out: one value, or null (unknown). The order
// must not matter, because the SQL for the same aggregate has none.
import { compareData, type Datum } from "./datum.ts";
import { addExact, DIVISION_PLACES, divideExact, type Exact, fifteenDigits, floatOf, isCalculable } from "./exact.ts";
import { DURATION_OPERAND_MAX } from "./temporal.ts";
import type { Aggregate, Type } from "./tree.ts";

const zero: Exact = { digits: 0n, scale: 0 };

/** `type` is the type of the result. */
export function aggregate(name: Aggregate, values: readonly Datum[], type: Type): Datum | null {
  switch (name) {
    case "sum":
    case "avg":
      return type.kind === "duration" ? sumOfDurations(values) : ofNumbers(name, values, type);
    case "min":
    case "max":
      return values.reduce<Datum | null>((found, one) => {
        const order = found === null ? null : (compareData(one, found) ?? 0);
        return order === null || (name === "min" ? order < 0 : order > 0) ? one : found;
      }, null);
  }
}

function ofNumbers(name: "sum" | "avg", values: readonly Datum[], type: Type): Datum | null {
  if (name === "avg" && values.length === 0) return null;
  const count: Exact = { digits: BigInt(values.length), scale: 0 };
  if (type.kind !== "float") {
    const sum = values.reduce((total, one) => (one.kind === "exact" ? addExact(total, one.value) : total), zero);
    const value = name === "sum" ? sum : divideExact(sum, count, DIVISION_PLACES);
    return value === null ? null : { kind: "exact", value };
  }
  const floats = values.flatMap((one) => (one.kind === "float" ? [one.value] : []));
  if (!floats.every(isCalculable)) return null;
  const sum = floatOf(floats.map(fifteenDigits).reduce(addExact, zero));
  return sum === null ? null : { kind: "float", value: name === "sum" ? sum : sum / values.length };
}

function sumOfDurations(values: readonly Datum[]): Datum | null {
  const sum = values.reduce((total, one) => (one.kind === "micros" ? total + one.value : total), 0n);
  return sum > DURATION_OPERAND_MAX || sum < -DURATION_OPERAND_MAX ? null : { kind: "micros", value: sum };
}
