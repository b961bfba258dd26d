// What the checker must know of a blueprint: records, their fields, and the roles. Given by whoever checks.
import type { Type } from "./tree.ts";

export interface FieldSchema {
  readonly type: Type;
  /** The record that the field's value is the id of; null for a plain value. */
  readonly refersTo: string | null;
}

export interface RecordSchema {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
}

export interface Schema {
  /** Records by name. A record that a field refers to, but that stands not here, can't be looked into. */
  readonly records: ReadonlyMap<string, RecordSchema>;
  readonly roles: readonly string[];
}

/** The name of a to-one relation: its field's name without `_id`. */
export function relationName(field: string): string {
  return field.endsWith("_id") && field.length > 3 ? field.slice(0, -3) : field;
}
