// What the checker needs to know about a blueprint: records, their fields and relations, roles, named rules. The caller
// provides it.
import type { Expression, Type } from "./tree.ts";

export interface FieldSchema {
  readonly type: Type;
  /** The record whose id the field contains; null for a plain value. */
  readonly refersTo: string | null;
  /** For an object: its members. */
  readonly members?: ReadonlyMap<string, FieldSchema>;
  /** For an amount of money: its currency, by ISO 4217. */
  readonly currency?: string;
  /**
   * For a computed field: its expression over `record`. It replaces the name of the field, and has its type. "circle"
   * if it uses itself, "broken" if its declaration has problems.
   */
  readonly computed?: () => Expression | "circle" | "broken";
}

export interface RecordSchema {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** To-many relations by name, with the record on the other side. */
  readonly relations: ReadonlyMap<string, { readonly record: string }>;
}

export interface Schema {
  /**
   * Records by name, including `user` and `organization`. Rules can't read fields of a record that is not in this list.
   */
  readonly records: ReadonlyMap<string, RecordSchema>;
  readonly roles: readonly string[];
  /** Roles that a member of an organization can have. */
  readonly organizationRoles: readonly string[];
  /** Named rules and their text. They are used like a bare name and checked again at each use. */
  readonly rules: ReadonlyMap<string, string>;
  /**
   * The replacement for `can(operation, relation)` on that record: for each role an expression over `record`. Null if a
   * rule uses itself.
   */
  readonly grants: (record: string, operation: string) => ReadonlyMap<string, Expression> | null;
}

/** The name of a to-one relation: its field's name without `_id`. */
export function relationName(field: string): string {
  return field.endsWith("_id") && field.length > 3 ? field.slice(0, -3) : field;
}
