// Values during evaluation. In: a JSON value and its type. Out: a form that can be compared and calculated with, and
// back. Order and equality must be the same as in Postgres: texts by code point, numbers exactly.
import { compareExact, type Exact, floatOf, isCalculable, parseExact, printExact } from "./exact.ts";
import { parseDuration, parseInstant, parseTime, printDuration, printInstant, printTime } from "./temporal.ts";
import type { Type } from "./tree.ts";

/** A JSON value: a datetime as RFC 3339, a uuid as its text, a decimal or a large whole number as its digits. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [member: string]: Value };

/** A known value: whole numbers and decimals are exact, times are in microseconds, an opaque value is only `there`. */
export type Datum =
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "exact"; readonly value: Exact }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "micros"; readonly value: bigint }
  | { readonly kind: "list"; readonly value: readonly (Datum | null)[] }
  | { readonly kind: "opaque"; readonly value: Value };

/** @throws Error (our bug) if a value doesn't have its type. */
export function datumOf(value: Value | undefined, type: Type): Datum | null {
  if (value === null || value === undefined) return null;
  switch (type.kind) {
    case "bool":
      return typeof value === "boolean" ? { kind: "bool", value } : misfit(value, type);
    case "int":
    case "decimal": {
      const exact = typeof value === "number" || typeof value === "string" ? parseExact(value) : null;
      return exact === null ? misfit(value, type) : { kind: "exact", value: exact };
    }
    case "float":
      return typeof value === "number" ? { kind: "float", value } : misfit(value, type);
    case "text":
    case "enum":
    case "date":
      return typeof value === "string" ? { kind: "text", value } : misfit(value, type);
    case "uuid":
      return typeof value === "string" ? { kind: "text", value: value.toLowerCase() } : misfit(value, type);
    case "time":
      return micros(typeof value === "string" ? parseTime(value) : null, value, type);
    case "datetime":
      return micros(typeof value === "string" ? parseInstant(value) : null, value, type);
    case "duration":
      return micros(typeof value === "string" ? parseDuration(value) : null, value, type);
    case "list":
      if (!Array.isArray(value)) return misfit(value, type);
      return { kind: "list", value: (value as readonly Value[]).map((item) => datumOf(item, type.of)) };
    case "opaque":
      return { kind: "opaque", value };
    case "null":
      return misfit(value, type);
  }
}

/** A value from outside: null if it doesn't have its type. */
export function knownDatum(value: Value, type: Type): Datum | null {
  try {
    return datumOf(value, type);
  } catch {
    return null;
  }
}

/** The JSON value in its canonical form. */
export function plainOf(datum: Datum | null, type: Type): Value {
  if (datum === null) return null;
  switch (datum.kind) {
    case "exact": {
      const text = printExact(datum.value);
      return type.kind === "int" && Number.isSafeInteger(Number(text)) ? Number(text) : text;
    }
    case "micros":
      if (type.kind === "time") return printTime(datum.value);
      return type.kind === "duration" ? printDuration(datum.value) : printInstant(datum.value);
    case "list": {
      const of: Type = type.kind === "list" ? type.of : { kind: "null" };
      return datum.value.map((item) => plainOf(item, of));
    }
    default:
      return datum.value;
  }
}

/**
 * Negative, zero or positive. Null (unknown) if an exact number is compared with a float but is too large, or too close
 * to zero, to be a float.
 */
export function compareData(a: Datum, b: Datum): number | null {
  if (a.kind === "text" && b.kind === "text") return compareText(a.value, b.value);
  if (a.kind === "exact" && b.kind === "exact") return compareExact(a.value, b.value);
  if (a.kind === "micros" && b.kind === "micros") return a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
  if (a.kind === "bool" && b.kind === "bool") return Number(a.value) - Number(b.value);
  if (a.kind === "float" || b.kind === "float") {
    const [x, y] = [asFloat(a), asFloat(b)];
    return x === null || y === null ? null : x < y ? -1 : x > y ? 1 : 0;
  }
  throw new Error(`can't compare ${a.kind} with ${b.kind}`);
}

/** A number as a float; null if there is no close float for an exact number. */
export function asFloat(datum: Datum): number | null {
  if (datum.kind === "float") return datum.value;
  if (datum.kind === "exact") return floatOf(datum.value);
  throw new Error(`a ${datum.kind} is not a number`);
}

/** The value as an operand of float arithmetic; null if the result would be unknown. */
export function asOperand(datum: Datum): number | null {
  const value = asFloat(datum);
  return value !== null && isCalculable(value) ? value : null;
}

/** By code point. In contrast, `<` on strings compares UTF-16 units and puts U+FF61 after an emoji. */
export function compareText(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [xIsSurrogate, yIsSurrogate] = [(x & 0xf800) === 0xd800, (y & 0xf800) === 0xd800];
    return xIsSurrogate === yIsSurrogate ? x - y : xIsSurrogate ? 1 : -1;
  }
  return a.length - b.length;
}

function micros(value: bigint | null, source: Value, type: Type): Datum {
  return value === null ? misfit(source, type) : { kind: "micros", value };
}

function misfit(value: Value, type: Type): never {
  throw new Error(`${JSON.stringify(value).slice(0, 80)} is not a valid ${type.kind}`);
}
