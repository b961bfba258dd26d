// The notation of values in a URL and in `where`, by the type of their comparison. In: a type and a text. Out: the text
// as Postgres reads it, or an error. It never converts a value.
import type { BundleField } from "@plinth/bundle";
import { isUuid } from "@plinth/service";

interface Form {
  readonly pattern: RegExp;
  readonly message: string;
  readonly fits?: (text: string) => boolean;
}

const number = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/;
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));
const days = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** By type: the notation in a URL, which Postgres can read without further conversion. */
const forms: Readonly<Record<string, Form>> = {
  uuid: { pattern: /^/, fits: isUuid, message: "It must be a UUID." },
  integer: {
    pattern: /^-?[0-9]{1,10}$/,
    fits: (text) => Math.abs(Number(text)) <= 2 ** 31 - 1,
    message: "It must be a whole number of 32 bits.",
  },
  bigint: {
    pattern: /^-?[0-9]{1,19}$/,
    fits: (text) => BigInt.asIntN(64, BigInt(text)) === BigInt(text),
    message: "It must be a whole number of 64 bits.",
  },
  numeric: { pattern: number, fits: (text) => text.length <= 100, message: "It must be a decimal number." },
  "double precision": {
    pattern: /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$/,
    fits: (text) => text.length <= 100 && Number.isFinite(Number(text)),
    message: "It must be a number.",
  },
  boolean: { pattern: /^(true|false)$/, message: "It must be true or false." },
  date: {
    pattern: days,
    fits: (text) => isTime(`${text}T00:00:00Z`) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text),
    message: "It must be a date: 2024-12-31.",
  },
  time: {
    pattern: /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/,
    message: "It must be a time of day: 23:59:59.",
  },
  timestamptz: {
    pattern: /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/,
    fits: isTime,
    message: "It must be a time of RFC 3339: 2024-12-31T23:59:59Z.",
  },
  interval: {
    pattern: /^P(?=[0-9T])(\d{1,9}W)?(\d{1,9}D)?(T(?=[0-9])(\d{1,9}H)?(\d{1,9}M)?(\d{1,9}(\.\d{1,6})?S)?)?$/,
    message: "It must be a duration of ISO 8601 without years and months: P1DT12H.",
  },
};

/** The notation of the type's values, for the message about a wrong one; null if the type doesn't define it. */
export function formOf({ sqlType, wire }: BundleField): string | null {
  if (wire !== "string") return null;
  return digitsOf(sqlType) ?? forms[sqlType.replace(/\(.*\)/, "")]?.message ?? null;
}

/** How many digits an exact number can have; null for another type. */
function digitsOf(sqlType: string): string | null {
  const [, precision, scale] = (/^numeric\((\d+),(\d+)\)$/.exec(sqlType) ?? []).map(Number);
  if (precision === undefined || scale === undefined) return null;
  const [before, places] = [precision - scale, scale === 0 ? "" : ` and ${scale} after it`];
  return `It must be a decimal number with at most ${before} digits before the point${places}: ${(1).toFixed(scale)}.`;
}

/**
 * The notation that a value of the type must have; null if any text is valid. @param sqlType With or without its
 * bounds.
 */
export function formProblem(sqlType: string, text: string): string | null {
  const form = forms[unbounded(sqlType)];
  if (form === undefined || (form.pattern.test(text) && form.fits?.(text) !== false)) return null;
  return form.message;
}

/** The text of a valid value, in its canonical spelling. */
export function canonical(sqlType: string, text: string): string {
  return sqlType === "uuid" ? text.toLowerCase() : text;
}

/** Without its bounds: a value for a comparison must not be rounded to the column's. */
export function unbounded(sqlType: string): string {
  return sqlType.replace(/\(.*\)/, "");
}
