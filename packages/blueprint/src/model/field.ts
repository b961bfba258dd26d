// A field of a model and all that can be said of it: its type, its limits, its default. Types alone.
import type { Expression } from "@plinth/expression";
import type { JsonValue } from "./json-value.ts";

export type FieldType =
  | { readonly kind: "string" }
  | { readonly kind: "text" }
  | { readonly kind: "markdown" }
  /** Made from another field where the caller gives none. */
  | { readonly kind: "slug"; readonly from: string | null }
  | { readonly kind: "email" }
  | { readonly kind: "url" }
  | { readonly kind: "phone" }
  | { readonly kind: "color" }
  | { readonly kind: "int" }
  | { readonly kind: "bigint" }
  | { readonly kind: "float" }
  | { readonly kind: "decimal"; readonly precision: number; readonly scale: number }
  /** An amount in one currency (ISO 4217), with that currency's decimal places. */
  | { readonly kind: "money"; readonly currency: string; readonly scale: number }
  /** 0 to 100 unless limits say otherwise, four decimal places; a JSON number. */
  | { readonly kind: "percent" }
  | { readonly kind: "date" }
  | { readonly kind: "time" }
  | { readonly kind: "datetime" }
  | { readonly kind: "duration" }
  | { readonly kind: "timezone" }
  | { readonly kind: "bool" }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "enum_set"; readonly values: readonly string[] }
  | { readonly kind: "country" }
  | { readonly kind: "currency" }
  | { readonly kind: "locale" }
  | { readonly kind: "json" }
  | { readonly kind: "object"; readonly fields: readonly ObjectMember[] }
  | { readonly kind: "list"; readonly of: FieldType }
  /** A value per locale: `{ "en": ..., "de": ... }`. */
  | { readonly kind: "i18n"; readonly of: FieldType }
  | { readonly kind: "point" }
  | { readonly kind: "vector"; readonly dimensions: number }
  | { readonly kind: "file"; readonly mime: readonly string[]; readonly maxBytes: number | null }
  | { readonly kind: "image"; readonly mime: readonly string[]; readonly maxBytes: number | null }
  | { readonly kind: "uuid" }
  /** `as`: what leads from a user to these records; absent: nothing does. */
  | { readonly kind: "user_ref"; readonly onDelete: OnDelete; readonly as?: string }
  | { readonly kind: "org_ref"; readonly onDelete: OnDelete }
  | { readonly kind: "ref"; readonly entity: string; readonly onDelete: OnDelete }
  /** Many to many: a list of ids, kept in a join table. */
  | { readonly kind: "refs"; readonly entity: string }
  | { readonly kind: "secret" }
  /**
   * `per`: each organization counts by itself; absent: all count together. `at`: a record is numbered when it takes this
   * transition, and has no number before; absent: at create.
   */
  | { readonly kind: "sequence"; readonly prefix: string; readonly per?: "org"; readonly at?: string }
  /** Never stored: an expression over the row (`record`). */
  | { readonly kind: "computed"; readonly expression: Expression };

export type OnDelete = "restrict" | "cascade" | "set_null";

export interface ObjectMember {
  readonly name: string;
  readonly type: FieldType;
  readonly optional: boolean;
  readonly limits: Limits;
}

/**
 * `min` and `max` of a text and of a list count characters (code points) and members; of numbers and times they are the
 * value itself, as text so that nothing is lost. `pattern` is in the subset of RE2 that `matches` takes.
 */
export interface Limits {
  readonly min: string | null;
  readonly max: string | null;
  readonly pattern: string | null;
}

export type FieldDefault =
  | { readonly kind: "literal"; readonly value: JsonValue }
  /** Set by the service; only an admin may give another value. */
  | { readonly kind: "current_user_id" }
  /** Set by the service; the organization of the request. */
  | { readonly kind: "current_org" }
  | { readonly kind: "now" }
  | { readonly kind: "today" };

/** How a search looks in a field that is searchable. */
export interface FieldSearch {
  /** What a match counts: most at `A`. */
  readonly weight: SearchWeight;
  /** Words are found by similar ones as well. */
  readonly fuzzy: boolean;
}

export type SearchWeight = "A" | "B" | "C" | "D";

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly optional: boolean;
  readonly default: FieldDefault | null;
  readonly limits: Limits;
  /**
   * `service`: no caller ever writes it (`id`, `version`, implicit times and `created_by`, `readonly` fields). `admin`, of a
   * profile field: users don't write their own.
   */
  readonly writer: "caller" | "admin" | "service";
  readonly declared: boolean;
  /** The name it had; says something only where the model before has that field and not this one. */
  readonly was: string | null;
  /** What records that stand already get, once: where the field is new, or where they have no value and must have one. */
  readonly fill?: Expression;
  /** Set at create only. */
  readonly immutable: boolean;
  /** Never leaves by the public API. */
  readonly internal: boolean;
  /** Masked in logs and in what the audit log keeps. */
  readonly pii: boolean;
  readonly searchable: boolean;
  /** Absent: by its words, which count as `D`. */
  readonly search?: FieldSearch;
  /** Why, where it is. */
  readonly deprecated: string | null;
  readonly label: string | null;
  readonly help: string | null;
}
