// What the checker must know of a blueprint: records, their fields and relations, roles, named rules. Given by whoever checks.
import type { Expression, Type } from "./tree.ts";

export interface FieldSchema {
  readonly type: Type;
  /** The record that the field's value is the id of; null for a plain value. */
  readonly refersTo: string | null;
  /** Of an object: what it holds. */
  readonly members?: ReadonlyMap<string, FieldSchema>;
  /** Of an amount of money: its currency, by ISO 4217. */
  readonly currency?: string;
  /**
   * Of a field that no column holds: what it is made of, over `record`; it is written out where it is named, and its type is
   * that one's. "circle" where it leads back to itself, "broken" where its own declaration is wrong.
   */
  readonly computed?: () => Expression | "circle" | "broken";
}

export interface RecordSchema {
  readonly name: string;
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** To-many relations by name, each with the record at its other end. */
  readonly relations: ReadonlyMap<string, { readonly record: string }>;
}

export interface Schema {
  /** Records by name, `user` and `organization` included. One that a field refers to but stands not here can't be looked into. */
  readonly records: ReadonlyMap<string, RecordSchema>;
  readonly roles: readonly string[];
  /** Roles that a member of an organization can have. */
  readonly organizationRoles: readonly string[];
  /** Named rules and their text; used like a bare name, checked anew where they are used. */
  readonly rules: ReadonlyMap<string, string>;
  /**
   * What `can(operation, relation)` stands for on that record: per role an expression over `record`. Null where a rule
   * asks for itself in a circle.
   */
  readonly grants: (record: string, operation: string) => ReadonlyMap<string, Expression> | null;
}

/** The name of a to-one relation: its field's name without `_id`. */
export function relationName(field: string): string {
  return field.endsWith("_id") && field.length > 3 ? field.slice(0, -3) : field;
}
