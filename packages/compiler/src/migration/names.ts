// Names that stand only while a schema changes, or after it did. In: the name that something has or will have. Out: another,
// never longer than Postgres takes. Names of the language hold no double underscore in front, so none of these meets one.
import { createHash } from "node:crypto";
import type { Column } from "@plinth/bundle";

/** Postgres cuts longer identifiers off silently. */
const IDENTIFIER_BYTES_MAX = 63;

/** What is built beside an older thing that still has the name. */
export function stagedName(name: string): string {
  return cut("next__", name);
}

/** What steps aside for a moment, so that two names can change places. */
export function movedName(name: string): string {
  return cut("moved__", name);
}

/** What comes back while another thing still has its name. */
export function returningName(name: string): string {
  return cut("back__", name);
}

/** What is dropped, until its time is over. */
export function keptName(tag: string, name: string): string {
  if (!/^[a-z0-9_]{1,24}$/.test(tag)) throw new Error(`not a valid tag for names: ${tag}`);
  return cut(`aside__${tag}__`, name);
}

const ENCRYPTED = " (encrypted)";

/** What comes back is of the same type, and encrypted or not as it was. */
export function keptTypeOf({ sqlType, encrypted }: Pick<Column, "sqlType" | "encrypted">): string {
  return encrypted === true ? `${sqlType}${ENCRYPTED}` : sqlType;
}

/** As `keptTypeOf` wrote it. */
export function typeOfKept(kept: string): Pick<Column, "sqlType" | "encrypted"> {
  return kept.endsWith(ENCRYPTED) ? { sqlType: kept.slice(0, -ENCRYPTED.length), encrypted: true } : { sqlType: kept };
}

/** The check that proves a column to be without nulls. */
export function presenceName(column: string): string {
  return cut("present__", column);
}

/** The trigger, and its function, that keep new columns of a table in step with old ones. */
export function feedName(table: string): string {
  return cut("feed__", table);
}

/** The trigger, and its function, that keep links in step with the reference that they are made of, or the other way round. */
export function linkFeedName(joinTable: string): string {
  return cut("links__", joinTable);
}

/** The trigger, and its function, that keep what a table is searched by; behind those of feeds, which fire in the order of names. */
export function searchName(table: string): string {
  return cut("search__", table);
}

/** The index over rows that a conversion found no value for. */
export function guardName(table: string, column: string): string {
  return cut("guard__", `${table}__${column}`);
}

function cut(prefix: string, name: string): string {
  const whole = `${prefix}${name}`;
  if (whole.length <= IDENTIFIER_BYTES_MAX) return whole;
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 8);
  return `${whole.slice(0, IDENTIFIER_BYTES_MAX - hash.length - 2)}__${hash}`;
}
