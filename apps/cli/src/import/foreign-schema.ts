// What an import reads out of another tool's schema, whichever tool it was. Types alone.

export interface ForeignSchema {
  readonly tables: readonly ForeignTable[];
  /** What stands in the source beside its tables and can't come along: views, functions, policies. */
  readonly notes: readonly ImportNote[];
}

/** Something that the blueprint says differently (`changed`) or can't say at all (`left_out`). Never silent. */
export interface ImportNote {
  readonly kind: "changed" | "left_out";
  /** Where in the source: `BlogPost`, `BlogPost.price`, `view active_posts`. */
  readonly path: string;
  /** One sentence, with what to do where something can be done. */
  readonly text: string;
}

export interface ForeignTable {
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly ForeignColumn[];
  readonly primaryKey: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  /** Many-to-many relations that have no columns of their own: a field's name and the table at the other end. */
  readonly links: readonly { readonly name: string; readonly table: string }[];
}

export interface ForeignColumn {
  readonly name: string;
  readonly comment: string | null;
  readonly type: ForeignType;
  readonly list: boolean;
  readonly optional: boolean;
  readonly default: ForeignDefault | null;
  readonly references: ForeignReference | null;
}

export interface ForeignReference {
  readonly table: string;
  readonly column: string;
  readonly onDelete: "restrict" | "cascade" | "set_null" | "set_default";
}

export type ForeignType =
  | { readonly kind: "text"; readonly max: number | null }
  | { readonly kind: "int" | "bigint" | "float" | "bool" | "date" | "time" | "duration" | "uuid" | "json" | "point" }
  /** `zoned` is false where the source keeps no time zone. */
  | { readonly kind: "datetime"; readonly zoned: boolean }
  | { readonly kind: "decimal"; readonly precision: number | null; readonly scale: number }
  | { readonly kind: "vector"; readonly dimensions: number | null }
  | { readonly kind: "enum"; readonly name: string; readonly values: readonly string[] }
  /** Kept as text in the blueprint, with a note. */
  | { readonly kind: "as_text"; readonly name: string }
  | { readonly kind: "unsupported"; readonly name: string };

export type ForeignDefault =
  | { readonly kind: "literal"; readonly value: string | number | boolean | readonly (string | number | boolean)[] }
  | { readonly kind: "now" | "today" | "uuid" | "autoincrement" | "updated_at" }
  /** Anything else, as the source writes it. */
  | { readonly kind: "expression"; readonly text: string };
