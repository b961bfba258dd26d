// Quotes names for SQL. In: a name or a value of ours. Out: its quoted form. It never accepts a NUL, where the protocol
// would cut off the text.

export function quoteIdentifier(name: string): string {
  if (name === "" || name.includes("\0")) throw new Error("Not an identifier");
  return `"${name.replaceAll('"', '""')}"`;
}

/** For the few statements that take no parameters (CREATE ROLE ... PASSWORD). */
export function quoteLiteral(value: string): string {
  if (value.includes("\0")) throw new Error("Not a text value");
  const quoted = `'${value.replaceAll("'", "''")}'`;
  // E'' is read the same whatever standard_conforming_strings says.
  return value.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}
