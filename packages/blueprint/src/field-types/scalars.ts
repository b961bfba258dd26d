// Parses plain values. In: a value of a plain type as written. Out: the value as JSON in its canonical form, or null if
// it is not valid. It doesn't check limits.
import type { FieldType } from "../model/model.ts";
import { currencyScales } from "./currencies.ts";
import { canonicalDate, canonicalDuration, canonicalInstant, canonicalTime, durationLength } from "./moments.ts";

export const INT_MIN = -2_147_483_648;
export const INT_MAX = 2_147_483_647;
const BIGINT_MAX = 9_223_372_036_854_775_807n;

export function canonicalScalar(type: FieldType, text: string): string | number | boolean | null {
  switch (type.kind) {
    case "int": {
      const value = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
      return value >= INT_MIN && value <= INT_MAX ? value + 0 : null;
    }
    case "bigint": {
      if (!/^-?\d{1,19}$/.test(text)) return null;
      const value = BigInt(text);
      return value >= -BIGINT_MAX - 1n && value <= BIGINT_MAX ? String(value) : null;
    }
    case "float": {
      const value = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
      return Number.isFinite(value) ? value + 0 : null;
    }
    case "decimal":
      return decimalText(text, type.precision, type.scale);
    case "money":
      return decimalText(text, 20, type.scale);
    case "percent": {
      const exact = decimalText(text, 7, 4);
      return exact === null ? null : Number(exact) + 0;
    }
    case "bool":
      return text === "true" ? true : text === "false" ? false : null;
    case "date":
      return canonicalDate(text);
    case "time":
      return canonicalTime(text);
    case "datetime":
      return canonicalInstant(text);
    case "duration":
      return canonicalDuration(text);
    case "uuid":
      return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : null;
    case "enum":
      return type.values.includes(text) ? text : null;
    default:
      return canonicalText(type, text);
  }
}

function canonicalText(type: FieldType, text: string): string | null {
  switch (type.kind) {
    case "string":
    case "text":
    case "markdown":
    case "secret":
      return text;
    case "slug":
      return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text) ? text : null;
    case "email":
      return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? text : null;
    case "url":
      return /^https?:\/\/[^\s/?#]+(?:[/?#]\S*)?$/i.test(text) ? text : null;
    case "phone":
      return /^\+[1-9]\d{6,14}$/.test(text) ? text : null;
    case "color":
      return /^#[0-9a-f]{6}(?:[0-9a-f]{2})?$/i.test(text) ? text.toLowerCase() : null;
    case "timezone":
      return /^[A-Za-z][A-Za-z_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/.test(text) ? text : null;
    case "country":
      return /^[A-Z]{2}$/.test(text) ? text : null;
    case "currency":
      return currencyScales.has(text) ? text : null;
    case "locale":
      return /^[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|\d{3}))?$/.test(text) ? text : null;
    default:
      return null;
  }
}

/** Without leading zeros, with all decimal places. */
function decimalText(text: string, precision: number, scale: number): string | null {
  const match = /^(-?)0*(\d+)(?:\.(\d+))?$/.exec(text);
  const [, sign = "", whole = "", places = ""] = match ?? [];
  if (match === null || text.length > 200 || places.length > scale) return null;
  if ((whole === "0" ? 0 : whole.length) > precision - scale) return null;
  const digits = scale === 0 ? whole : `${whole}.${places.padEnd(scale, "0")}`;
  return /[1-9]/.test(digits) ? sign + digits : digits;
}

/** Negative if `a` comes first. Both are canonical values of a type whose limits are values. */
export function compareScalars(type: FieldType, a: string, b: string): number {
  switch (type.kind) {
    case "date":
    case "time":
    case "datetime": {
      // Without its `Z`, a time without a fraction is a prefix of the same time with one.
      const [first, second] = [a.replace(/Z$/, ""), b.replace(/Z$/, "")];
      return first < second ? -1 : first > second ? 1 : 0;
    }
    case "duration":
      return sign(durationLength(a) - durationLength(b));
    case "bigint":
      return sign(BigInt(a) - BigInt(b));
    case "decimal":
    case "money":
      return sign(BigInt(a.replace(".", "")) - BigInt(b.replace(".", "")));
    default:
      return Number(a) - Number(b);
  }
}

function sign(difference: bigint): number {
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
