// Chooses sample values. In: the constants that values are compared with, and how many values are compared with each
// other. Out: enough values to represent all: the constants, and in each gap between and beyond them as many as can be
// distinguished there.
import { compareText } from "./datum.ts";
import { parseExact, printExact } from "./exact.ts";
import {
  INSTANT_MAX,
  INSTANT_MIN,
  parseDuration,
  parseInstant,
  parseTime,
  printDuration,
  printInstant,
  printTime,
} from "./temporal.ts";
import type { Type } from "./tree.ts";

/** A type whose values map to whole numbers, and the mapping in both directions. */
interface Line {
  readonly parse: (value: string) => bigint | null;
  readonly print: (at: bigint) => string;
  readonly least: bigint;
  readonly most: bigint;
  /** A natural-looking value, and the distance to the next one. */
  readonly origin: bigint;
  readonly step: bigint;
}

const second = 1_000_000n;
const day = 86_400n * second;
const january = 1_767_225_600n * second;

const lines: Readonly<Partial<Record<Type["kind"], Line>>> = {
  date: {
    parse: (value) => {
      const at = parseInstant(`${value}T00:00:00Z`);
      return at === null ? null : at / day;
    },
    print: (at) => printInstant(at * day).slice(0, 10),
    least: INSTANT_MIN / day,
    most: INSTANT_MAX / day - 1n,
    origin: january / day,
    step: 30n,
  },
  time: { parse: parseTime, print: printTime, least: 0n, most: day - 1n, origin: day / 2n, step: 3600n * second },
  datetime: {
    parse: parseInstant,
    print: printInstant,
    least: INSTANT_MIN,
    most: INSTANT_MAX,
    origin: january,
    step: 30n * day,
  },
  duration: {
    parse: parseDuration,
    print: printDuration,
    // The range between the first and the last moment, and more.
    least: -4_000_000n * day,
    most: 4_000_000n * day,
    origin: 3600n * second,
    step: 3600n * second,
  },
  uuid: {
    parse: (value) => (/^[0-9a-f-]{36}$/i.test(value) ? BigInt(`0x${value.replaceAll("-", "")}`) : null),
    print: (at) =>
      at
        .toString(16)
        .padStart(32, "0")
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
    least: 0n,
    most: (1n << 128n) - 1n,
    origin: 0x0190f3a1000070008000000000000001n,
    step: 1n,
  },
};

/**
 * The values of a type that maps to whole numbers, in their order; null if a constant is invalid, or if the calculation
 * can leave the range.
 */
export function pointsOnLine(
  kind: Type["kind"],
  constants: readonly string[],
  count: number,
  isCalculated: boolean,
): string[] | null {
  const line = lines[kind];
  if (line === undefined) return null;
  const pins = constants.map(line.parse);
  if (!pins.every((pin) => pin !== null)) return null;
  const first = pins.length === 0 ? [line.origin] : sorted(pins);
  const room = BigInt(count);
  const isNearEnd = (first[0] ?? 0n) - line.least < room || line.most - (first.at(-1) ?? 0n) < room;
  if (isCalculated && isNearEnd) return null;
  return withGaps(first, count, 1n, line).map(line.print);
}

/**
 * Numbers. `places` of each variable: 0 for a whole number, null if it is unlimited. Values are texts of exact numbers;
 * `fitsPlaces` tells which of them a variable can hold.
 */
export function numberPoints(
  constants: readonly (string | number)[],
  places: readonly (number | null)[],
  count: number,
): string[] | null {
  const exact = constants.map(parseExact);
  if (!exact.every((one) => one !== null)) return null;
  const finite = [...exact.map((one) => placesOf(printExact(one))), ...places.filter((one) => one !== null)];
  const finest = Math.max(0, ...finite);
  // Between two numbers with unlimited decimal places, there is always another one.
  const dense = finest + String(count + 1).length;
  if (dense > 40) return null;
  const levels = [...new Set(places.map((one) => one ?? dense))].sort((a, b) => a - b);
  const scale = Math.max(finest, ...levels);
  const unit = (level: number): bigint => 10n ** BigInt(scale - level);
  let pins = sorted(exact.map((one) => (one.digits * 10n ** BigInt(scale)) / 10n ** BigInt(one.scale)));
  if (pins.length === 0) pins = [unit(0)];
  for (const level of levels) {
    pins = withGaps(pins, count, unit(level), { least: null, most: null, step: unit(0) });
  }
  return pins.map((digits) => printExact({ digits, scale }));
}

/** Floats for which the usual distance is too coarse: values directly next to the constants. */
export function floatPoints(constants: readonly number[], count: number): number[] {
  const pins = [...new Set(constants)].sort((a, b) => a - b);
  const points = [...pins];
  for (let i = 0; i <= pins.length; i++) {
    const [low, high] = [pins[i - 1] ?? Number.NEGATIVE_INFINITY, pins[i] ?? Number.POSITIVE_INFINITY];
    const up = Number.isFinite(low);
    let next = up ? nextUp(low) : -nextUp(-high);
    for (let found = 0; found < count && next > low && next < high; found++) {
      points.push(next + 0);
      next = up ? nextUp(next) : -nextUp(-next);
    }
  }
  return points;
}

/** The next greater float. */
function nextUp(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

export function fitsPlaces(text: string, places: number | null): boolean {
  return places === null || placesOf(text) <= places;
}

function placesOf(text: string): number {
  const dot = text.indexOf(".");
  return dot === -1 ? 0 : text.length - dot - 1;
}

/**
 * Texts in code point order. The next text after a text is that text and U+0001 (no text contains NUL), so the texts of
 * a gap can be counted from its lower end.
 */
export function textPoints(constants: readonly string[], count: number): string[] {
  const pins = [...new Set(constants)].sort(compareText);
  const points = [...pins];
  for (let i = 0; i <= pins.length; i++) points.push(...textsBetween(pins[i - 1] ?? null, pins[i] ?? null, count));
  return points;
}

function textsBetween(low: string | null, high: string | null, count: number): string[] {
  const within = (text: string): boolean =>
    (low === null || compareText(low, text) < 0) && (high === null || compareText(text, high) < 0);
  const natural = [..."abcdefghijklmnopqrstuvwxyz"].flatMap((letter) => [letter, `${low ?? ""}${letter}`]);
  const found = [...new Set(natural.filter(within))].slice(0, count);
  for (let next = low === null ? "" : `${low}\u0001`; found.length < count && within(next); next += "\u0001") {
    if (!found.includes(next)) found.push(next);
  }
  return found;
}

interface Bounds {
  readonly least: bigint | null;
  readonly most: bigint | null;
  readonly step: bigint;
}

/** The pins, and in each gap `count` multiples of `unit`, or all of them if there are fewer. */
function withGaps(pins: readonly bigint[], count: number, unit: bigint, { least, most, step }: Bounds): bigint[] {
  const wide = step * BigInt(count + 1) + unit;
  const [first, last] = [pins[0] ?? 0n, pins.at(-1) ?? 0n];
  const below = max(least === null ? first - wide : least - 1n, first - wide);
  const above = min(most === null ? last + wide : most + 1n, last + wide);
  const points = [...pins];
  const edges = [below, ...pins, above];
  for (let i = 1; i < edges.length; i++) {
    const [low, high] = [edges[i - 1] ?? 0n, edges[i] ?? 0n];
    points.push(...multiplesBetween(low, high, count, unit, i === edges.length - 1 || i === 1 ? step : unit));
  }
  return sorted(points);
}

function multiplesBetween(low: bigint, high: bigint, count: number, unit: bigint, step: bigint): bigint[] {
  const [first, last] = [floor(low, unit) + 1n, -floor(-high, unit) - 1n];
  const there = last - first + 1n;
  if (there <= 0n || count === 0) return [];
  if (there <= BigInt(count)) return Array.from({ length: Number(there) }, (_, i) => (first + BigInt(i)) * unit);
  const apart = max(1n, min(max(step / unit, 1n), there / BigInt(count)));
  return Array.from({ length: count }, (_, i) => (first + BigInt(i) * apart) * unit);
}

function floor(value: bigint, unit: bigint): bigint {
  const cut = value / unit;
  return value < 0n && cut * unit !== value ? cut - 1n : cut;
}

function sorted(values: readonly bigint[]): bigint[] {
  return [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
