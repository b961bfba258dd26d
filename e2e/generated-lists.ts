// Evaluates lists in memory. In: the world, a caller, an entity, filters, an order. Out: the visible records, in order.
// It doesn't use pages: the caller reads all pages and joins them.
import type { Entity, Field, JsonValue } from "@plinth/blueprint";
import { compareText } from "@plinth/expression";
import { grantsFor, isShown, mayRead, readability, readGrants } from "./generated-judgement.ts";
import { type Caller, fieldOf, livingOf, type Rec, type World } from "./generated-world.ts";

export interface ListAsked {
  readonly filters: Readonly<Record<string, JsonValue>>;
  readonly sort: readonly { readonly name: string; readonly descending: boolean }[];
}

const unordered: readonly string[] = [
  "json",
  "refs",
  "computed",
  "secret",
  "list",
  "enum_set",
  "point",
  "object",
  "i18n",
];

/** The values for `sort=` and `field=value`. */
export function isListable(field: Field): boolean {
  return isShown(field) && !unordered.includes(field.type.kind);
}

/** 403, or null if the request is allowed. */
export function listRefusal(entity: Entity, caller: Caller, { filters, sort }: ListAsked): number | null {
  if (grantsFor(entity, "read", caller).length === 0) return 403;
  if (Object.keys(filters).some((name) => readability(entity, caller, name) === "never")) return 403;
  return sort.some(({ name }) => readability(entity, caller, name) !== "always") ? 403 : null;
}

export function expectList(world: World, caller: Caller, entity: Entity, { filters, sort }: ListAsked): Rec[] {
  const seen = livingOf(world, entity.name).filter(
    (record) =>
      mayRead(world, caller, record) &&
      Object.entries(filters).every(([name, value]) => matches(world, caller, record, name, value)),
  );
  const last = sort.at(-1);
  const keys = sort.some((key) => key.name === "id")
    ? sort
    : [...sort, { name: "id", descending: last?.descending ?? true }];
  return seen.sort((one, other) => {
    for (const { name, descending } of keys) {
      const order = compareValues(fieldOf(entity, name), one.values[name] ?? null, other.values[name] ?? null);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  });
}

/** A field that is hidden in a record doesn't match. */
function matches(world: World, caller: Caller, record: Rec, name: string, value: JsonValue): boolean {
  const { entity, values } = record;
  if (compareValues(fieldOf(entity, name), values[name] ?? null, value) !== 0) return false;
  if (name === "id") return true;
  const grants = readGrants(world, caller, entity, values);
  return grants.some(({ fields }) => fields === null || fields.includes(name));
}

const lengths: Readonly<Record<string, number>> = { PT0S: 0, PT30M: 1, PT1H: 2, P1D: 3 };

/** Nulls come last, and choices have the order of their declaration. */
export function compareValues({ type }: Field, a: JsonValue, b: JsonValue): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  switch (type.kind) {
    case "int":
    case "float":
    case "percent":
    case "decimal":
    case "money":
      return Number(a) - Number(b);
    case "bigint":
      return Number(BigInt(String(a)) - BigInt(String(b)));
    case "bool":
      return Number(a) - Number(b);
    case "enum":
      return type.values.indexOf(String(a)) - type.values.indexOf(String(b));
    case "duration":
      return (lengths[String(a)] ?? 0) - (lengths[String(b)] ?? 0);
    default:
      return compareText(String(a), String(b));
  }
}

/** The maximum number of records in a page for this caller. */
export function pageMaxOf(entity: Entity, caller: Caller, most: number): number {
  const limits = grantsFor(entity, "read", caller).map((each) => each.limit);
  if (limits.length === 0 || limits.includes(null)) return most;
  return Math.min(most, Math.max(...limits.map((limit) => limit ?? 0)));
}
