// A field of a model, with its type, limits and default. Only types.
import type { Expression } from "@plinth/expression";
import type { JsonValue } from "./json-value.ts";

export type FieldType =
  | { readonly kind: "string" }
  | { readonly kind: "text" }
  | { readonly kind: "markdown" }
  /** Made from another field if the caller sends none. */
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
  /** 0 to 100 unless there are limits, with four decimal places; a JSON number. */
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
  /** `as`: the name of the back relation from a user to these records; absent: there is none. */
  | { readonly kind: "user_ref"; readonly onDelete: OnDelete; readonly as?: string }
  | { readonly kind: "org_ref"; readonly onDelete: OnDelete }
  | { readonly kind: "ref"; readonly entity: string; readonly onDelete: OnDelete }
  /** Many to many: a list of ids, kept in a join table. */
  | { readonly kind: "refs"; readonly entity: string }
  | { readonly kind: "secret" }
  /**
   * `per`: each organization has its own numbers; absent: all share them. `at`: a record gets its number at this
   * transition, and has none before; absent: at create.
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
 * `min` and `max` count characters (code points) of a text and members of a list. For numbers and times they are the
 * value itself, as text so that nothing is lost. `pattern` uses the same subset of RE2 as `matches`.
 */
export interface Limits {
  readonly min: string | null;
  readonly max: string | null;
  readonly pattern: string | null;
}

export type FieldDefault =
  | { readonly kind: "literal"; readonly value: JsonValue }
  /** The service sets it; only an admin can set another value. */
  | { readonly kind: "current_user_id" }
  /** The service sets it: the organization of the request. */
  | { readonly kind: "current_org" }
  | { readonly kind: "now" }
  | { readonly kind: "today" };

/** How search uses a searchable field. */
export interface FieldSearch {
  /** The weight of a match: `A` counts most. */
  readonly weight: SearchWeight;
  /** Similar words are found too. */
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
   * `service`: no caller ever writes it (`id`, `version`, implicit times and `created_by`, `readonly` fields). `admin`,
   * for a profile field: users can't write their own.
   */
  readonly writer: "caller" | "admin" | "service";
  readonly declared: boolean;
  /** The former name. It has an effect only if the previous model has that field and not this one. */
  readonly was: string | null;
  /** The value that existing records get once: if the field is new, or if they have no value and now need one. */
  readonly fill?: Expression;
  /** Can be set only at create. */
  readonly immutable: boolean;
  /** Never returned by the public API. */
  readonly internal: boolean;
  /** Masked in logs and in the audit log. */
  readonly pii: boolean;
  readonly searchable: boolean;
  /** Absent: by its words, with the weight `D`. */
  readonly search?: FieldSearch;
  /** The reason, if it is deprecated. */
  readonly deprecated: string | null;
  readonly label: string | null;
  readonly help: string | null;
}
