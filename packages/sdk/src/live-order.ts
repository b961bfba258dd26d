// Finds the position of a record in a list. In: sorted records, one more, the keys of the order. Out: its position, if
// it can be found without the database.

type Fields = Readonly<Record<string, unknown>>;

/**
 * Null: only the database knows.
 *
 * @param others The list without the record. @param keys Names of fields, with `-` for descending order.
 * @param before The record's previous version and position in the list; null if it was not in it.
 */
export function placeIn(
  others: readonly Fields[],
  record: Fields,
  keys: readonly string[],
  before: { readonly record: Fields; readonly at: number } | null,
): number | null {
  const names = keys.map((key) => key.replace(/^-/, ""));
  const isHeld = before !== null && names.every((name) => isSame(before.record, record, name));
  if (isHeld) return before.at;
  // Ties are sorted by id, in the direction of the last key.
  const all = names.includes("id") ? keys : [...keys, keys.at(-1)?.startsWith("-") === true ? "-id" : "id"];
  for (const [at, other] of others.entries()) {
    const order = compare(record, other, all);
    if (order === null) return null;
    if (order < 0) return at;
  }
  return others.length;
}

function isSame(one: Fields, other: Fields, name: string): boolean {
  return one[name] !== undefined && one[name] === other[name];
}

function compare(one: Fields, other: Fields, keys: readonly string[]): number | null {
  for (const key of keys) {
    const isDescending = key.startsWith("-");
    const name = isDescending ? key.slice(1) : key;
    const order = compareValues(one[name], other[name], name);
    if (order === null) return null;
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}

/** Ascending, nulls last; null if only the database knows the order. */
function compareValues(one: unknown, other: unknown, name: string): number | null {
  if (one === undefined || other === undefined) return null;
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one === "boolean" && typeof other === "boolean") return Number(one) - Number(other);
  if (typeof one !== "string" || typeof other !== "string") return null;
  if (name === "id") return one < other ? -1 : 1;
  const [a, b] = [timeOf(one), timeOf(other)];
  if (a === null || b === null) return null;
  return a === b ? 0 : a < b ? -1 : 1;
}

/** With all its digits, of which Date would keep three; null if it is not a time in UTC. */
function timeOf(text: string): string | null {
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|\+00:00)$/.exec(text);
  return found === null ? null : `${found[1]}.${(found[2] ?? "").padEnd(9, "0")}`;
}
