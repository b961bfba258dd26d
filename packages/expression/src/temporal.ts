// Dates, times, instants and durations. In: their text. Out: a canonical text or whole microseconds; null if invalid.
// It knows no time zone except the offset in the text, and never reads a clock.

/**
 * A longer duration (about 4,000 years) is unknown as an operand of `+` and `-`, so that no sum of two leaves
 * Postgres's range.
 */
export const DURATION_OPERAND_MAX: bigint = 126_230_400_000n * 1_000_000n;
/** Instants before the year 1 and after 9999 are unknown as operands of `+` and `-`. */
export const INSTANT_MIN: bigint = -62_135_596_800n * 1_000_000n;
export const INSTANT_MAX: bigint = 253_402_300_800n * 1_000_000n - 1n;

const second = 1_000_000n;

/** Whether a text is RFC 3339 with a real date; the fraction has at most six digits, as Postgres keeps them. */
export function isInstant(text: string): boolean {
  return parseInstant(text) !== null;
}

/** Microseconds since 1970-01-01T00:00:00Z. */
export function parseInstant(text: string): bigint | null {
  if (text[10] !== "T" && text[10] !== "t") return null;
  const days = daysOf(text.slice(0, 10));
  if (days === null) return null;
  const last = text[text.length - 1];
  let end = text.length - 1;
  let offset = 0;
  if (last !== "Z" && last !== "z") {
    end = text.length - 6;
    const sign = text[end] === "+" ? 1 : text[end] === "-" ? -1 : 0;
    const [hours, minutes] = [digitsAt(text, end + 1, 2), digitsAt(text, end + 4, 2)];
    if (sign === 0 || text[end + 3] !== ":" || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
    offset = sign * (hours * 60 + minutes);
  }
  const time = end < 19 ? null : parseTime(text.slice(11, end));
  return time === null ? null : BigInt(days) * 86_400n * second + time - BigInt(offset * 60) * second;
}

/** RFC 3339 in UTC, with as many decimal places as needed. */
export function printInstant(micros: bigint): string {
  const day = 86_400n * second;
  const time = ((micros % day) + day) % day;
  const date = new Date(Number((micros - time) / 1000n));
  const year = date.getUTCFullYear();
  const years = year >= 0 && year <= 9999 ? String(year).padStart(4, "0") : String(year);
  return `${years}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}T${printTime(time)}Z`;
}

/** An existing date such as `2026-01-31`, in the years 0001 to 9999. */
export function isDate(text: string): boolean {
  return daysOf(text) !== null;
}

/** The microseconds of a day with 24 hours. */
export const DAY: bigint = 86_400n * second;

/** Days since 1970-01-01. */
export const parseDate: (text: string) => number | null = daysOf;

/** Null outside the years 0001 to 9999. */
export function printDate(days: number): string | null {
  const instant = BigInt(days) * DAY;
  return instant < INSTANT_MIN || instant > INSTANT_MAX ? null : printInstant(instant).slice(0, 10);
}

/** Microseconds since midnight of `09:30`, `09:30:00` or `09:30:00.5`. */
export function parseTime(text: string): bigint | null {
  const [hours, minutes] = [digitsAt(text, 0, 2), digitsAt(text, 3, 2)];
  if (text[2] !== ":" || hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return null;
  const upToMinutes = BigInt(hours * 3600 + minutes * 60) * second;
  if (text.length === 5) return upToMinutes;
  const seconds = digitsAt(text, 6, 2);
  if (text[5] !== ":" || seconds < 0 || seconds > 59) return null;
  const fraction = text.length === 8 ? 0n : fractionOf(text, 8, text.length);
  return fraction === null ? null : upToMinutes + BigInt(seconds) * second + fraction;
}

/** `09:30:00`, with a fraction if there is one. */
export function printTime(micros: bigint): string {
  const seconds = Number(micros / second);
  const clock = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(":");
  return clock + printFraction(micros % second);
}

/** Microseconds of an ISO 8601 duration of weeks, days, hours, minutes and seconds: `P1DT12H`, `-PT0.5S`, `P2W`. */
export function parseDuration(text: string): bigint | null {
  const sign = text[0] === "-" ? -1n : 1n;
  const start = text[0] === "-" || text[0] === "+" ? 1 : 0;
  if (text[start] !== "P" || text.length > 60) return null;
  let total = 0n;
  let rank = 0;
  let inTime = false;
  let parts = 0;
  let at = start + 1;
  while (at < text.length) {
    if (text[at] === "T") {
      if (inTime || at === text.length - 1) return null;
      inTime = true;
      at++;
      continue;
    }
    const negative = text[at] === "-";
    const from = negative ? at + 1 : at;
    const unitAt = endOfNumber(text, from);
    const unit = isoUnits[`${inTime ? "T" : ""}${text[unitAt] ?? ""}`];
    if (unit === undefined || unit.rank <= rank) return null;
    const amount = amountOf(text, from, unitAt, unit.micros, unit.rank === isoUnits.TS?.rank);
    if (amount === null) return null;
    total += negative ? -amount : amount;
    rank = unit.rank;
    parts++;
    at = unitAt + 1;
  }
  return parts === 0 ? null : sign * total;
}

/** ISO 8601 in hours, minutes and seconds: one text for each duration. */
export function printDuration(micros: bigint): string {
  const size = micros < 0n ? -micros : micros;
  const [hours, minutes, rest] = [size / (3600n * second), (size / (60n * second)) % 60n, size % (60n * second)];
  const seconds = rest === 0n ? "" : `${rest / second}${printFraction(rest % second)}S`;
  const parts = `${hours === 0n ? "" : `${hours}H`}${minutes === 0n ? "" : `${minutes}M`}${seconds}`;
  return `${micros < 0n ? "-" : ""}PT${parts === "" ? "0S" : parts}`;
}

/** Microseconds of a text for CEL's `duration()`: `90m`, `1h30m`, `1.5s`, `-250ms`. */
export function parseCelDuration(text: string): bigint | null {
  if (text.length > 60) return null;
  const sign = text[0] === "-" ? -1n : 1n;
  let at = text[0] === "-" || text[0] === "+" ? 1 : 0;
  if (text.slice(at) === "0") return 0n;
  let total = 0n;
  let parts = 0;
  while (at < text.length) {
    const unitAt = endOfNumber(text, at);
    const two = celUnits[text.slice(unitAt, unitAt + 2)];
    const unit = two ?? celUnits[text[unitAt] ?? ""];
    if (unit === undefined) return null;
    const amount = amountOf(text, at, unitAt, unit, true);
    if (amount === null) return null;
    total += amount;
    parts++;
    at = unitAt + (two === undefined ? 1 : 2);
  }
  return parts === 0 ? null : sign * total;
}

/** A duration as a text for CEL's `duration()`; `parseCelDuration` reads it back. */
export function printCelDuration(micros: bigint): string {
  const iso = printDuration(micros);
  return iso.replace("PT", "").toLowerCase();
}

const isoUnits: Readonly<Record<string, { readonly rank: number; readonly micros: bigint }>> = {
  W: { rank: 1, micros: 604_800n * second },
  D: { rank: 2, micros: 86_400n * second },
  TH: { rank: 3, micros: 3600n * second },
  TM: { rank: 4, micros: 60n * second },
  TS: { rank: 5, micros: second },
};

const celUnits: Readonly<Record<string, bigint>> = { h: 3600n * second, m: 60n * second, s: second, ms: 1000n, us: 1n };

/** The number from `from` to `end` times a unit; null if it isn't a number or not a whole number of microseconds. */
function amountOf(text: string, from: number, end: number, unit: bigint, fractions: boolean): bigint | null {
  const dot = text.indexOf(".", from);
  const wholeEnd = dot === -1 || dot >= end ? end : dot;
  if (wholeEnd === from || wholeEnd - from > 15) return null;
  const whole = BigInt(text.slice(from, wholeEnd)) * unit;
  if (wholeEnd === end) return whole;
  if (!fractions || end - wholeEnd < 2) return null;
  const places = end - wholeEnd - 1;
  if (places > 12) return null;
  const [part, rest] = [BigInt(text.slice(wholeEnd + 1, end)) * unit, 10n ** BigInt(places)];
  return part % rest === 0n ? whole + part / rest : null;
}

function endOfNumber(text: string, from: number): number {
  let at = from;
  while (at < text.length && (isDigit(text, at) || text[at] === ".")) at++;
  return text.slice(from, at).split(".").length > 2 ? from : at;
}

/** Days since 1970-01-01. */
function daysOf(text: string): number | null {
  const [year, month, day] = [digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2)];
  if (text.length !== 10 || text[4] !== "-" || text[7] !== "-" || year < 1 || month < 1 || day < 1) return null;
  const date = new Date(Date.UTC(2000, 0, 1));
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real ? date.getTime() / 86_400_000 : null;
}

/** `.5` as 500000; null if it is not a fraction of one to six digits. */
function fractionOf(text: string, from: number, end: number): bigint | null {
  if (text[from] !== "." || end - from < 2 || end - from > 7) return null;
  const value = digitsAt(text, from + 1, end - from - 1);
  return value < 0 ? null : BigInt(value) * 10n ** BigInt(7 - (end - from));
}

function printFraction(micros: bigint): string {
  if (micros === 0n) return "";
  const digits = String(micros).padStart(6, "0");
  let end = 6;
  while (digits[end - 1] === "0") end--;
  return `.${digits.slice(0, end)}`;
}

/** The number at this place with exactly `count` digits, or -1. */
function digitsAt(text: string, from: number, count: number): number {
  for (let at = from; at < from + count; at++) if (!isDigit(text, at)) return -1;
  return Number(text.slice(from, from + count));
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
