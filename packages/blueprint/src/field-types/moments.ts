// Parses dates, times, instants and durations. In: the text. Out: its canonical text, or null if it is not valid.
import { isInstant } from "@plinth/expression";

/** `2026-01-31`; years 1 to 9999. */
export function canonicalDate(text: string): string | null {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isInstant(`${text}T00:00:00Z`) ? text : null;
}

/** `09:30` becomes `09:30:00`; six digits of a second are kept. */
export function canonicalTime(text: string): string | null {
  const match = /^((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?$/.exec(text);
  if (match === null) return null;
  return `${match[1]}:${match[2] ?? "00"}${fraction(match[3])}`;
}

/** RFC 3339 in UTC. */
export function canonicalInstant(text: string): string | null {
  if (!isInstant(text)) return null;
  const seconds = text.replace(/\.\d+/, "").toUpperCase();
  const moment = new Date(seconds);
  if (Number.isNaN(moment.getTime())) return null;
  const utc = moment.toISOString();
  // With an offset, the instant can leave the four-digit years.
  if (!/^\d{4}-/.test(utc) || utc.startsWith("0000")) return null;
  return utc.replace(/\.000Z$/, `${fraction(/\.(\d+)/.exec(text)?.[1])}Z`);
}

const durationParts = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?$/;

/**
 * ISO 8601 without years and months. Weeks become days, and minutes and hours are carried over: `PT90M` becomes
 * `PT1H30M`.
 */
export function canonicalDuration(text: string): string | null {
  const parts = durationPartsOf(text);
  if (parts === null) return null;
  const { days, seconds, digits } = parts;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const time = [
    hours > 0 ? `${hours}H` : "",
    minutes > 0 ? `${minutes}M` : "",
    rest > 0 || digits !== "" ? `${rest}${digits}S` : "",
  ].join("");
  if (days === 0 && time === "") return "PT0S";
  return `P${days > 0 ? `${days}D` : ""}${time === "" ? "" : `T${time}`}`;
}

/** Its length in microseconds, with days of 24 hours, to compare two durations. */
export function durationLength(text: string): bigint {
  const parts = durationPartsOf(text);
  if (parts === null) return 0n;
  const micros = BigInt(parts.digits.slice(1).padEnd(6, "0") || "0");
  return (BigInt(parts.days) * 86_400n + BigInt(parts.seconds)) * 1_000_000n + micros;
}

function durationPartsOf(text: string): { days: number; seconds: number; digits: string } | null {
  const match = durationParts.exec(text);
  // `P` and `PT` alone, and numbers that no interval can hold.
  if (match === null || /[PT]$/.test(text) || text.length > 60) return null;
  const [weeks, days, hours, minutes, seconds] = match.slice(1, 6).map((part) => Number(part ?? 0));
  const whole = {
    days: (weeks ?? 0) * 7 + (days ?? 0),
    seconds: (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0),
    digits: fraction(match[6]),
  };
  return whole.days <= 3_650_000 && whole.seconds <= 1e12 ? whole : null;
}

function fraction(digits: string | undefined): string {
  const kept = (digits ?? "").replace(/0+$/, "");
  return kept === "" ? "" : `.${kept}`;
}
