// A field of an entity, or a member of an action's input: how its values are read and written. Types alone.
import type { SqlTemplate } from "./template.ts";

export interface BundleField {
  readonly name: string;
  /** Null for what no column of the table holds: computed fields and many-to-many references. */
  readonly column: string | null;
  /** For casts of parameters: `text`, `integer`, `boolean`, `uuid`, `timestamptz`, `text[]`, `jsonb`, ... */
  readonly sqlType: string;
  /** How the value stands in JSON: a quoted string, or raw (numbers, booleans, arrays, objects). */
  readonly wire: "string" | "raw";
  /** The wire value as SQL over the row alias `{row}`: text, or for `raw` what prints as JSON. */
  readonly select: SqlTemplate;
  /** Of a calculated field that may be filtered and sorted by: its value of `sqlType`, over `{row}`. Absent for all else. */
  readonly value?: SqlTemplate;
  /**
   * What goes into the column, over `{value}`: the sent value as text (as it is where `wire` is `string`, else as JSON:
   * of a `json` field a string stands in quotes), or null.
   * `{value}::integer`, `point(...)`.
   */
  readonly write: SqlTemplate;
  readonly optional: boolean;
  /** `service`: never taken from a body. `admin`: taken from callers who hold admin, else set by the default. */
  readonly writer: "caller" | "admin" | "service";
  /** What the service writes at create where the body names nothing; SQL template (`{user.id}`, `{org}`, `now()`, a literal). */
  readonly default: SqlTemplate | null;
  /** Entity that the value must be a readable record of (`user` for a user_ref, `organization` for an org_ref). */
  readonly references: string | null;
  /** May stand in `sort=` and as `field=value`. */
  readonly filterable: boolean;
  /** Set at create only. */
  readonly immutable: boolean;
  /** Never selected and never taken: `internal` fields. */
  readonly hidden: boolean;
  /** Encrypted by the runtime before it is written; taken, never given back. */
  readonly secret: boolean;
  /** Left out of what the audit log and the access log keep. */
  readonly masked: boolean;
  readonly searchable: boolean;
  /** Lower-case ASCII words joined by hyphens, made from this field where none is sent. */
  readonly slugFrom: string | null;
  /** Takes the next number of this counter, at create or at a transition; `default` is null then. */
  readonly sequence: {
    readonly counter: string;
    readonly prefix: string;
    /** Each organization has a counter of its own, called `<counter>/<its id>`. */
    readonly perOrganization?: true;
    /** The transition that numbers the record, unless it has a number already; absent: it is numbered at create. */
    readonly at?: string;
  } | null;
  /** Of an object: what it holds. Absent for all else, free JSON too. */
  readonly members?: readonly BundleMember[];
  /** Many-to-many: where the pairs stand. */
  readonly join: { readonly table: string; readonly own: string; readonly other: string } | null;
}

/** A member of an object that stands in a field. */
export interface BundleMember {
  readonly name: string;
  /** What its text in the JSON is cast to, to be compared. */
  readonly sqlType: string;
  readonly members?: readonly BundleMember[];
}
