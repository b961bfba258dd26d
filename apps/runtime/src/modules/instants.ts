// Times of background work in the API: RFC 3339 in UTC with milliseconds, `2026-01-31T12:00:00.000Z`. In: a column, a
// text, or a row of the database. Out: SQL, or the same in that form.

/** SQL of a `timestamptz` as text; null stays null. */
export function utc(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** @param text A time as Postgres writes it in JSON. */
export function instant<Text extends string | null>(text: Text): Text {
  return (text === null ? null : new Date(text).toISOString()) as Text;
}

/** The row with the named members as instants; a missing member stays missing. */
export function withInstants<Row extends object>(row: Row, names: readonly string[]): Row {
  const times = Object.entries(row).filter(
    (entry): entry is [string, string] => names.includes(entry[0]) && typeof entry[1] === "string",
  );
  return { ...row, ...Object.fromEntries(times.map(([name, text]) => [name, instant(text)])) };
}
