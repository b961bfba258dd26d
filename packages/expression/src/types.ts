// Which types fit together. In: two types. Out: whether they can be compared, and their common type. It knows no
// values.
import type { Type } from "./tree.ts";

export const bool: Type = { kind: "bool" };

export function isNumber({ kind }: Type): boolean {
  return kind === "int" || kind === "decimal" || kind === "float";
}

export function isText({ kind }: Type): boolean {
  return kind === "text" || kind === "enum";
}

/** Whether values of both types can be compared. */
export function fits(a: Type, b: Type): boolean {
  if (isNumber(a) && isNumber(b)) return true;
  if (isText(a) && isText(b)) return true;
  return a.kind === b.kind && a.kind !== "list" && a.kind !== "opaque" && a.kind !== "null";
}

/** Whole and decimal make decimal; anything with a float makes a float. */
export function widerNumber(a: Type, b: Type): Type {
  if (a.kind === "float" || b.kind === "float") return { kind: "float" };
  return a.kind === "decimal" || b.kind === "decimal" ? { kind: "decimal" } : { kind: "int" };
}

/** The common type of both values; null if there is none. */
export function commonType(a: Type, b: Type): Type | null {
  if (a.kind === "null") return b;
  if (b.kind === "null") return a;
  if (!fits(a, b)) return null;
  if (isNumber(a)) return widerNumber(a, b);
  if (a.kind === "enum" && b.kind === "enum") return sameValues(a.values, b.values) ? a : { kind: "text" };
  return isText(a) && a.kind !== b.kind ? { kind: "text" } : a;
}

/** The name of a type in messages. */
export function nameOf(type: Type): string {
  return type.kind === "opaque" ? type.name : type.kind;
}

function sameValues(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
