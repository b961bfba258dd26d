// Temporary names during a migration, and names for what is kept after it. In: the final name. Out: another name, never
// longer than Postgres allows. Names in blueprints never start with a double underscore, so they don't collide.
import { createHash } from "node:crypto";
import type { Column } from "@plinth/bundle";

/** Postgres cuts off longer identifiers silently. */
const IDENTIFIER_BYTES_MAX = 63;

/** For something that is built while an older thing still has its name. */
export function stagedName(name: string): string {
  return cut("next__", name);
}

/** For something that moves away for a moment, so that two names can be swapped. */
export function movedName(name: string): string {
  return cut("moved__", name);
}

/** For something that is restored while another thing still has its name. */
export function returningName(name: string): string {
  return cut("back__", name);
}

/** For something that is dropped, until it expires. */
export function keptName(tag: string, name: string): string {
  if (!/^[a-z0-9_]{1,24}$/.test(tag)) throw new Error(`not a valid tag for names: ${tag}`);
  return cut(`aside__${tag}__`, name);
}

const ENCRYPTED = " (encrypted)";

/** A restored column has the same type, and is encrypted or not, as before. */
export function keptTypeOf({ sqlType, encrypted }: Pick<Column, "sqlType" | "encrypted">): string {
  return encrypted === true ? `${sqlType}${ENCRYPTED}` : sqlType;
}

/** As `keptTypeOf` wrote it. */
export function typeOfKept(kept: string): Pick<Column, "sqlType" | "encrypted"> {
  return kept.endsWith(ENCRYPTED) ? { sqlType: kept.slice(0, -ENCRYPTED.length), encrypted: true } : { sqlType: kept };
}

/** The check that proves that a column has no nulls. */
export function presenceName(column: string): string {
  return cut("present__", column);
}

/** The trigger, and its function, that fill new columns of a table. */
export function feedName(table: string): string {
  return cut("feed__", table);
}

/** The trigger, and its function, that update links from a reference, or the reverse. */
export function linkFeedName(joinTable: string): string {
  return cut("links__", joinTable);
}

/**
 * The trigger, and its function, that update the search column; they must run after those that fill columns, and
 * triggers run in the order of their names.
 */
export function searchName(table: string): string {
  return cut("search__", table);
}

/** The index over rows for which a conversion found no value. */
export function guardName(table: string, column: string): string {
  return cut("guard__", `${table}__${column}`);
}

function cut(prefix: string, name: string): string {
  const whole = `${prefix}${name}`;
  if (whole.length <= IDENTIFIER_BYTES_MAX) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${whole.slice(0, IDENTIFIER_BYTES_MAX - hash.length - 2)}__${hash}`;
}
