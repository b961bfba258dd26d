// How the values of a request say that a number is added to what a field holds. In: names. Out: names, and the fields that are meant.

const MARK = "+";

/** What is sent to be added to a field stands under this name among the values of a request; no field has such a name. */
export function additionTo(field: string): string {
  return `${field}${MARK}`;
}

/** The names of fields, and those of them that are added to. */
export function splitAdditions(named: readonly string[]): {
  readonly given: readonly string[];
  readonly added: ReadonlySet<string>;
} {
  const added = new Set(named.filter((name) => name.endsWith(MARK)).map((name) => name.slice(0, -MARK.length)));
  return { given: named.map((name) => (name.endsWith(MARK) ? name.slice(0, -MARK.length) : name)), added };
}

/** Whether a column holds numbers that can be added. */
export function isNumeric(sqlType: string): boolean {
  return /^(?:integer|bigint|double precision|numeric)\b/.test(sqlType) && !sqlType.endsWith("]");
}
