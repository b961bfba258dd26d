// A field of an entity, or a member of an action's input: how its values are read and written. Only types.
import type { SqlTemplate } from "./template.ts";

export interface BundleField {
  readonly name: string;
  /** Null for a field without a column: computed fields and many-to-many references. */
  readonly column: string | null;
  /** For casts of parameters: `text`, `integer`, `boolean`, `uuid`, `timestamptz`, `text[]`, `jsonb`, ... */
  readonly sqlType: string;
  /** The form of the value in JSON: a quoted string, or raw (numbers, booleans, arrays, objects). */
  readonly wire: "string" | "raw";
  /** The wire value as SQL over the row alias `{row}`: text, or for `raw` what prints as JSON. */
  readonly select: SqlTemplate;
  /**
   * For a calculated field that can be filtered and sorted by: its value of `sqlType`, over `{row}`. Absent for all
   * others.
   */
  readonly value?: SqlTemplate;
  /**
   * The value for the column, over `{value}`: the input as text (unchanged if `wire` is `string`, otherwise as JSON;
   * strings of a `json` field are quoted), or null. `{value}::integer`, `point(...)`.
   */
  readonly write: SqlTemplate;
  readonly optional: boolean;
  /**
   * `service`: never read from a body. `admin`: read from callers with the role admin, otherwise set by the default.
   */
  readonly writer: "caller" | "admin" | "service";
  /** The default at create; SQL template (`{user.id}`, `{org}`, `now()`, a literal). */
  readonly default: SqlTemplate | null;
  /**
   * The entity of the referenced record, which the caller must be able to read (`user` for a user_ref, `organization`
   * for an org_ref).
   */
  readonly references: string | null;
  /** Can be used in `sort=` and as `field=value`. */
  readonly filterable: boolean;
  /** Can only be set at create. */
  readonly immutable: boolean;
  /** Never selected and never accepted: `internal` fields. */
  readonly hidden: boolean;
  /** The runtime encrypts it before it is written; it is accepted but never returned. */
  readonly secret: boolean;
  /** Not recorded in the audit log and the access log. */
  readonly masked: boolean;
  readonly searchable: boolean;
  /** Lower-case ASCII words joined by hyphens, made from this field if none is sent. */
  readonly slugFrom: string | null;
  /** Gets the next number of this counter, at create or at a transition; `default` is null then. */
  readonly sequence: {
    readonly counter: string;
    readonly prefix: string;
    /** Each organization has its own counter, `<counter>/<its id>`. */
    readonly perOrganization?: true;
    /** The transition that numbers the record, unless it already has a number; absent: it is numbered at create. */
    readonly at?: string;
  } | null;
  /** For an object: its members. Absent for all others, including free JSON. */
  readonly members?: readonly BundleMember[];
  /** Many-to-many: the table of the pairs. */
  readonly join: { readonly table: string; readonly own: string; readonly other: string } | null;
}

/** A member of an object field. */
export interface BundleMember {
  readonly name: string;
  /** The type to which its JSON text is cast for comparisons. */
  readonly sqlType: string;
  readonly members?: readonly BundleMember[];
}
