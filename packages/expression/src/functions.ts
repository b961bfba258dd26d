// Functions of one value. In: the value and the other arguments. Out: the result, or null (unknown). Nothing here
// throws.
import { isWithin, parseAddress, parseNetwork } from "./address.ts";
import { asOperand, type Datum } from "./datum.ts";
import { type Exact, fifteenDigits, floatOf, floorExact, roundExact } from "./exact.ts";
import { DAY, INSTANT_MAX, INSTANT_MIN, parseDate, printDate } from "./temporal.ts";
import type { FunctionName, Type } from "./tree.ts";

/** `second`: the decimal places of `round`, or the network of `in_cidr`. `type`: the type of the value. */
export function callFunction(name: FunctionName, value: Datum | null, type: Type, second: Datum | null): Datum | null {
  if (value === null) return null;
  switch (name) {
    case "abs":
    case "floor":
    case "ceil":
    case "round":
      return value.kind === "float"
        ? ofFloat(name, value, placesOf(second))
        : value.kind === "exact"
          ? { kind: "exact", value: ofExact(name, value.value, placesOf(second)) }
          : null;
    case "in_cidr": {
      const address = value.kind === "text" ? parseAddress(value.value) : null;
      const network = second?.kind === "text" ? parseNetwork(second.value) : null;
      return address === null || network === null ? null : { kind: "bool", value: isWithin(address, network) };
    }
    case "hour":
    case "minute": {
      const micros = microsOf(value, type);
      if (micros === null) return null;
      const minutes = (((micros % DAY) + DAY) % DAY) / 60_000_000n;
      return whole(name === "hour" ? minutes / 60n : minutes % 60n);
    }
    default:
      return ofDay(name, dayOf(value, type));
  }
}

function placesOf(second: Datum | null): number {
  return second?.kind === "exact" ? Number(second.value.digits) : 0;
}

function ofExact(name: "abs" | "floor" | "ceil" | "round", value: Exact, places: number): Exact {
  const negative: Exact = { ...value, digits: -value.digits };
  switch (name) {
    case "abs":
      return value.digits < 0n ? negative : value;
    case "floor":
      return floorExact(value);
    case "ceil": {
      const below = floorExact(negative);
      return { ...below, digits: -below.digits };
    }
    case "round":
      return roundExact(value, places);
  }
}

/** Rounding uses the first 15 digits. The result is never `-0`. */
function ofFloat(name: "abs" | "floor" | "ceil" | "round", datum: Datum, places: number): Datum | null {
  const value = asOperand(datum);
  if (value === null) return null;
  const result =
    name === "round"
      ? floatOf(roundExact(fifteenDigits(value), places))
      : { abs: Math.abs, floor: Math.floor, ceil: Math.ceil }[name](value);
  return result === null ? null : { kind: "float", value: result + 0 };
}

function ofDay(name: "year" | "month" | "day" | "weekday" | "date", days: number | null): Datum | null {
  if (days === null) return null;
  const date = new Date(days * 86_400_000);
  switch (name) {
    case "year":
      return whole(date.getUTCFullYear());
    case "month":
      return whole(date.getUTCMonth() + 1);
    case "day":
      return whole(date.getUTCDate());
    case "weekday":
      return whole(date.getUTCDay() === 0 ? 7 : date.getUTCDay());
    case "date": {
      const text = printDate(days);
      return text === null ? null : { kind: "text", value: text };
    }
  }
}

/** Days since 1970; null if it is not a date of the years 1 to 9999. */
function dayOf(value: Datum, type: Type): number | null {
  if (value.kind === "text") return parseDate(value.value);
  const micros = microsOf(value, type);
  return micros === null ? null : Number((micros - (((micros % DAY) + DAY) % DAY)) / DAY);
}

function microsOf(value: Datum, type: Type): bigint | null {
  if (value.kind !== "micros") return null;
  const isKnown = type.kind !== "datetime" || (value.value >= INSTANT_MIN && value.value <= INSTANT_MAX);
  return isKnown ? value.value : null;
}

function whole(value: number | bigint): Datum {
  return { kind: "exact", value: { digits: BigInt(value), scale: 0 } };
}
