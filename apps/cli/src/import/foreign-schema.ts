// What an import reads out of another tool's schema, whichever tool it was. Types alone.
// Each construct carries its item of the inventory, so that the writer can say what became of it.
import type { Item } from "./inventory.ts";
import type { SqlNode } from "./postgres/sql-expression.ts";

export interface ForeignSchema {
  readonly tables: readonly ForeignTable[];
  readonly enums: readonly ForeignEnum[];
  /** Tables outside of the import that hold the app's users, by id: a reference to one is a reference to a user. */
  readonly usersElsewhere: readonly string[];
}

export interface ForeignTable {
  /** Unique within the import: `BlogPost`, `public.blog_posts`. */
  readonly id: string;
  readonly name: string;
  /** The schema that it is in; tells two tables of one name apart. */
  readonly space: string | null;
  readonly item: Item;
  readonly comment: ForeignComment | null;
  readonly columns: readonly ForeignColumn[];
  readonly key: ForeignList | null;
  readonly uniques: readonly ForeignList[];
  readonly indexes: readonly ForeignList[];
  readonly references: readonly ForeignReference[];
  /** Many-to-many relations that have no columns of their own. */
  readonly links: readonly ForeignLink[];
  readonly checks: readonly ForeignCheck[];
  readonly security: ForeignSecurity | null;
}

export interface ForeignComment {
  readonly text: string;
  readonly item: Item;
}

/** Columns that are a key, unique or indexed together. */
export interface ForeignList {
  readonly columns: readonly string[];
  readonly item: Item;
}

export interface ForeignColumn {
  readonly name: string;
  readonly item: Item;
  readonly comment: ForeignComment | null;
  readonly type: ForeignType;
  readonly list: boolean;
  readonly optional: boolean;
  /** The item that says that it is required; null where it is not, or where that goes without saying. */
  readonly required: Item | null;
  readonly default: { readonly value: ForeignDefault; readonly item: Item } | null;
  /** How it is made from others; its tree is null where it can't be read. */
  readonly generated: ForeignCheck | null;
  /** Smallest and greatest value, where the type itself has them. */
  readonly bounds: { readonly min: string; readonly max: string } | null;
}

export interface ForeignReference {
  readonly name: string;
  readonly item: Item;
  readonly columns: readonly string[];
  /** Id of the table, which may lie outside of the import. */
  readonly table: string;
  readonly targetColumns: readonly string[];
  readonly onDelete: "restrict" | "cascade" | "set_null" | "set_default";
  readonly onDeleteItem: Item | null;
  readonly onUpdateItem: Item | null;
  /** What the other side calls it. */
  readonly back: { readonly name: string; readonly item: Item } | null;
}

export interface ForeignLink {
  readonly name: string;
  readonly item: Item;
  readonly table: string;
  readonly back: { readonly name: string; readonly item: Item };
}

export interface ForeignCheck {
  readonly name: string;
  readonly item: Item;
  /** As the source writes it. */
  readonly text: string;
  readonly tree: SqlNode | null;
}

/** Row-level security of a table. */
export interface ForeignSecurity {
  readonly item: Item;
  readonly policies: readonly ForeignPolicy[];
}

export interface ForeignPolicy {
  readonly name: string;
  readonly item: Item;
  readonly operation: "read" | "create" | "update" | "delete" | "all";
  readonly permissive: boolean;
  /** Database roles; empty for everybody. */
  readonly roles: readonly string[];
  readonly using: { readonly text: string; readonly tree: SqlNode | null } | null;
  readonly check: { readonly text: string; readonly tree: SqlNode | null } | null;
}

export interface ForeignEnum {
  readonly name: string;
  readonly item: Item;
  readonly comment: ForeignComment | null;
  readonly values: readonly { readonly name: string; readonly item: Item }[];
}

export type ForeignType =
  | { readonly kind: "text"; readonly max: number | null }
  | { readonly kind: "int" | "bigint" | "float" | "bool" | "date" | "time" | "duration" | "uuid" | "json" | "point" }
  /** `zoned` is false where the source keeps no time zone, and nothing else says which one is meant. */
  | { readonly kind: "datetime"; readonly zoned: boolean }
  | { readonly kind: "decimal"; readonly precision: number | null; readonly scale: number }
  | { readonly kind: "vector"; readonly dimensions: number | null }
  | { readonly kind: "enum"; readonly enum: ForeignEnum }
  /** Kept as text in the blueprint, with a note. */
  | { readonly kind: "as_text"; readonly name: string }
  | { readonly kind: "unsupported"; readonly name: string };

export type ForeignDefault =
  | { readonly kind: "literal"; readonly value: Literal }
  | { readonly kind: "now" | "today" | "uuid" | "autoincrement" | "updated_at" }
  /** Anything else, as the source writes it. */
  | { readonly kind: "expression"; readonly text: string };

export type Literal = string | number | boolean | null | readonly Literal[] | { readonly [key: string]: Literal };
