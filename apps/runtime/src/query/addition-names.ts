// Marks additions among the values of a request. In: names. Out: names, and the fields that are added to.

const MARK = "+";

/** The name for a number that is added to a field. No field has such a name. */
export function additionTo(field: string): string {
  return `${field}${MARK}`;
}

/** The names of fields, and which of them are added to. */
export function splitAdditions(named: readonly string[]): {
  readonly given: readonly string[];
  readonly added: ReadonlySet<string>;
} {
  const added = new Set(named.filter((name) => name.endsWith(MARK)).map((name) => name.slice(0, -MARK.length)));
  return { given: named.map((name) => (name.endsWith(MARK) ? name.slice(0, -MARK.length) : name)), added };
}

/** Whether a column contains numbers that can be added. */
export function isNumeric(sqlType: string): boolean {
  return /^(?:integer|bigint|double precision|numeric)\b/.test(sqlType) && !sqlType.endsWith("]");
}
