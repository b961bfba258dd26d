// Writes names and constants in SQL templates. In: a name or a value from the model. Out: quoted SQL text. It never
// passes an author's braces on: only the compiler makes placeholders.
import { createHash } from "node:crypto";

/** Postgres cuts off longer identifiers silently. */
const IDENTIFIER_BYTES_MAX = 63;

export function quoteIdentifier(name: string): string {
  if (name === "" || /[{}\0]/.test(name)) throw new Error(`not a name for SQL: ${JSON.stringify(name)}`);
  if (Buffer.byteLength(name) > IDENTIFIER_BYTES_MAX) throw new Error(`too long a name for SQL: ${name}`);
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * A text constant. Braces and backslashes are written with chr(), so neither a placeholder nor a server's setting can
 * change its meaning. An E'' string is not possible: the proof of a statement refuses escapes.
 */
export function quoteText(value: string): string {
  if (value.includes("\0")) throw new Error("Postgres can't hold a NUL character in a text");
  const parts = value
    .split(/([\\{}])/)
    .filter((part) => part !== "")
    .map((part) => (/^[\\{}]$/.test(part) ? `chr(${part.charCodeAt(0)})` : `'${part.replaceAll("'", "''")}'`));
  if (parts.length === 0) return "''";
  return parts.length === 1 ? parts[0]! : `(${parts.join(" || ")})`;
}

/** A function's body. It can contain an author's texts, so the tag around it is one that it doesn't contain. */
export function dollarQuote(body: string): string {
  let tag = "$body$";
  for (let count = 1; body.includes(tag); count++) tag = `$body_${count}$`;
  return `${tag}${body}${tag}`;
}

export function quoteNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`not a number for SQL: ${value}`);
  return value < 0 || Object.is(value, -0) ? `(${value})` : String(value);
}

/** A number's digits, from an author or a rule. */
export function quoteDigits(digits: string): string {
  if (!/^-?\d+(?:\.\d+)?$/.test(digits)) throw new Error(`not a number for SQL: ${digits.slice(0, 80)}`);
  return digits.startsWith("-") ? `(${digits})` : digits;
}

/**
 * `shipments__status__check`. Names in blueprints never contain a double underscore, so no two tables and columns join
 * to the same name. A name that is too long ends with a hash. Without a suffix it is the name of a join table.
 */
export function constraintName(table: string, columns: readonly string[], suffix: string | null): string {
  const end = suffix === null ? [] : [suffix];
  const name = [table, ...columns, ...end].join("__");
  if (Buffer.byteLength(name) <= IDENTIFIER_BYTES_MAX) return name;
  const tail = [createHash("sha256").update(name).digest("hex").slice(0, 8), ...end].join("__");
  return `${name.slice(0, IDENTIFIER_BYTES_MAX - tail.length - 2)}__${tail}`;
}
