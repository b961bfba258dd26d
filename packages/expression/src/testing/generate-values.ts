// Test-only. In: a field's type and a source of random numbers. Out: a value in its JSON form, edge cases first.
// Postgres stores every value unchanged. The caller adds nulls.
import type { Value } from "../datum.ts";
import type { Type } from "../tree.ts";

/** A source of random numbers from a seed. */
export interface Draw {
  /** Both ends included. */
  readonly int: (min: number, max: number) => number;
  readonly pick: <T>(from: readonly T[]) => T;
  /** True with this probability in percent. */
  readonly chance: (percent: number) => boolean;
}

export function drawFrom(next: (min: number, max: number) => number): Draw {
  return {
    int: next,
    pick: (from) => {
      if (from.length === 0) throw new Error("nothing to pick from");
      return from[next(0, from.length - 1)] as (typeof from)[number];
    },
    chance: (percent) => next(0, 99) < percent,
  };
}

/** A field's type in a blueprint's model. */
export type DeclaredType =
  | { readonly kind: "string" }
  | { readonly kind: "text" }
  | { readonly kind: "int" }
  | { readonly kind: "bigint" }
  | { readonly kind: "float" }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  | { readonly kind: "percent" }
  | { readonly kind: "date" }
  | { readonly kind: "time" }
  | { readonly kind: "datetime" }
  | { readonly kind: "duration" }
  | { readonly kind: "bool" }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "enum_set"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly of: ScalarType }
  | { readonly kind: "json" }
  | { readonly kind: "object"; readonly fields: readonly DeclaredMember[] }
  | { readonly kind: "uuid" }
  | { readonly kind: "user_ref"; readonly onDelete: "restrict" }
  | { readonly kind: "org_ref"; readonly onDelete: "restrict" }
  | { readonly kind: "ref"; readonly entity: string; readonly onDelete: "restrict" };

export interface DeclaredMember {
  readonly name: string;
  readonly type: DeclaredType;
  readonly optional: true;
  readonly limits: { readonly min: null; readonly max: null; readonly pattern: null };
}

export type ScalarType = { readonly kind: "string" } | { readonly kind: "int" } | { readonly kind: "datetime" };

/** The type in rules. */
export function typeOf(declared: DeclaredType): Type {
  switch (declared.kind) {
    case "string":
    case "text":
      return { kind: "text" };
    case "int":
    case "bigint":
      return { kind: "int" };
    case "decimal":
    case "percent":
      return { kind: "decimal" };
    case "float":
    case "date":
    case "time":
    case "datetime":
    case "duration":
    case "bool":
    case "uuid":
      return { kind: declared.kind };
    case "enum":
      return { kind: "enum", values: declared.values };
    case "enum_set":
      return { kind: "list", of: { kind: "enum", values: declared.values } };
    case "list":
      return { kind: "list", of: typeOf(declared.of) };
    case "json":
    case "object":
      return { kind: "opaque", name: declared.kind };
    case "user_ref":
    case "org_ref":
    case "ref":
      return { kind: "uuid" };
  }
}

export const texts: readonly string[] = [
  "",
  "a",
  "B",
  "b",
  "ab",
  "ä",
  "ａ",
  "😀",
  "😀😀a",
  "｡",
  "it's {row} \\",
  "100%_",
  "a\nb",
  " ",
  "Straße",
  "0042",
];
const ints = [0, 1, -1, 2, 3, 7, 100, -2_147_483_648, 2_147_483_647];
const bigints = [
  "0",
  "1",
  "-1",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
];
const floats = [0, -0, 1, -1.5, 0.1, 0.2, 1e150, -1e151, 1e-150, 1e-151, 5e-324, 1.7976931348623157e308, 2 ** 53 + 2];
const dates = ["0001-01-01", "1969-12-31", "2024-02-29", "2026-01-31", "2026-02-01", "9999-12-31"];
const times = ["00:00:00", "09:30:00", "09:30:00.000001", "23:59:59.999999"];
const datetimes = [
  "0001-01-01T00:00:00Z",
  "1969-12-31T23:59:59.5Z",
  "2026-01-31T09:30:00.000001Z",
  "2026-01-31T09:30:00Z",
  "2026-01-31T11:30:00+02:00",
  "9999-12-31T23:59:59.999999Z",
];
const durations = [
  "PT0S",
  "PT1H",
  "PT3600S",
  "P1D",
  "PT24H",
  "-PT0.000001S",
  "P2W",
  "P1DT12H30M0.5S",
  "P1461000D",
  "P1461001D",
  "-P3000000D",
];

/** A few ids that belong to nobody. */
export const strangeIds: readonly string[] = [
  "00000000-0000-7000-8000-0000000000ff",
  "ffffffff-ffff-7fff-bfff-ffffffffffff",
];

export function valueFor(declared: DeclaredType, draw: Draw): Value {
  switch (declared.kind) {
    case "string":
    case "text":
      return draw.chance(70) ? draw.pick(texts) : draw.pick(texts) + draw.pick(texts);
    case "int":
      return draw.chance(70) ? draw.pick(ints) : draw.int(-1000, 1000);
    case "bigint":
      return draw.chance(70) ? draw.pick(bigints) : String(draw.int(-1000, 1000));
    case "float":
      return draw.chance(70) ? draw.pick(floats) : draw.int(-1000, 1000) / draw.pick([1, 3, 7, 10]);
    case "decimal":
      return decimalText(declared, draw);
    case "percent":
      return draw.chance(60) ? draw.pick([0, 100, 0.0001, 33.3333, 50]) : draw.int(0, 1_000_000) / 10_000;
    case "date":
      return draw.pick(dates);
    case "time":
      return draw.pick(times);
    case "datetime":
      return draw.pick(datetimes);
    case "duration":
      return draw.pick(durations);
    case "bool":
      return draw.chance(50);
    case "enum":
      return draw.pick(declared.values);
    case "enum_set":
      return declared.values.filter(() => draw.chance(40));
    case "list":
      return Array.from({ length: draw.int(0, 3) }, () => valueFor(declared.of, draw));
    case "json":
      return draw.pick<Value>([{}, [], { a: [1, null] }, "text", 0, false]);
    case "object":
      // Values from before the object was declared can have any form.
      return Object.fromEntries(
        declared.fields
          .filter(() => draw.chance(85))
          .map(({ name, type }) => [
            name,
            draw.chance(80) ? valueFor(type, draw) : draw.pick<Value>([null, 1, "1", true]),
          ]),
      );
    case "uuid":
      return draw.pick(strangeIds);
    case "user_ref":
    case "org_ref":
    case "ref":
      throw new Error("a reference takes its value from the rows that there are");
  }
}

function decimalText({ precision, scale }: { precision: number; scale: number }, draw: Draw): string {
  const edge = draw.int(0, 5);
  if (edge === 0) return "0";
  if (edge === 1) return `${draw.pick(["", "-"])}${"9".repeat(precision - scale)}.${"9".repeat(scale)}`;
  if (edge === 2) return `0.${"0".repeat(scale - 1)}1`;
  const fraction = draw.pick(["", ".5", ".10", ".05", ".25"]);
  return `${draw.int(-50, 50)}${fraction}`;
}

/** Patterns of `matches`. */
export const patterns: readonly string[] = [
  "^a",
  "b$",
  "^[a-z]+$",
  ".",
  "^.$",
  "ä|ß",
  "[^a]",
  "^(?:a|B)*$",
  "\\d{2,4}",
  "\\s",
  "😀+",
  "^\\S*$",
  "",
  "a.?b?",
  "\\{row\\}",
  "[\\w.-]",
  "\\\\",
];
