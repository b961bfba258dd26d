// The checked model of a blueprint: the only input of the compiler and of the diff.
// Everything is resolved here (defaults written out, roles expanded, plurals known); nothing in it is text to parse.
import type { Expression } from "@plinth/expression";

export type ModuleName =
  | "auth"
  | "users"
  | "roles"
  | "organizations"
  | "storage"
  | "webhooks"
  | "workers"
  | "audit_logs";

export interface Model {
  readonly project: string;
  readonly modules: readonly ModuleName[];
  readonly roles: readonly Role[];
  readonly entities: readonly Entity[];
}

/** `public`, `user`, `owner` and `admin` always exist; declared roles follow. `inherits` is transitive and sorted. */
export interface Role {
  readonly name: string;
  readonly inherits: readonly string[];
  readonly builtin: boolean;
}

export interface Entity {
  /** Singular snake_case noun, as declared. */
  readonly name: string;
  /** Table name and route segment. */
  readonly plural: string;
  /** In order: `id`, the declared fields, then `created_by`, `created_at`, `updated_at` (where not declared), `version`. */
  readonly fields: readonly Field[];
  /** Composite or single unique constraints, each a list of field names. */
  readonly uniques: readonly (readonly string[])[];
  /** Sorted by operation, then role. A pair that is absent is denied. */
  readonly permissions: readonly Permission[];
}

export type FieldType =
  | { readonly kind: "string"; readonly max: number }
  | { readonly kind: "text" }
  | { readonly kind: "email" }
  | { readonly kind: "int" }
  | { readonly kind: "bool" }
  | { readonly kind: "datetime" }
  | { readonly kind: "uuid" }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "user_ref" }
  | { readonly kind: "ref"; readonly entity: string };

export type FieldDefault =
  | { readonly kind: "literal"; readonly value: string | number | boolean }
  /** Set by the service; only an admin may give another value. */
  | { readonly kind: "current_user_id" }
  | { readonly kind: "now" };

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly optional: boolean;
  readonly default: FieldDefault | null;
  /** `service`: no caller ever writes it (`id`, `version`, implicit times and `created_by`). */
  readonly writer: "caller" | "service";
  readonly declared: boolean;
}

export type Operation = "read" | "create" | "update" | "delete";

export interface Permission {
  readonly role: string;
  readonly operation: Operation;
  /** A boolean expression; see `RowName` for the rows that each operation sees. */
  readonly rule: Expression;
}
