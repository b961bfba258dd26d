// The schema of another tool, in the same form for every tool. Types only. Each construct has its item in the inventory, so that
// the writer can record its outcome.
import type { Item } from "./inventory.ts";
import type { SqlNode } from "./postgres/sql-expression.ts";

export interface ForeignSchema {
  readonly tables: readonly ForeignTable[];
  readonly enums: readonly ForeignEnum[];
  /** Tables outside of the import with the app's users, by id: a reference to one is a reference to a user. */
  readonly usersElsewhere: readonly string[];
}

export interface ForeignTable {
  /** Unique within the import: `BlogPost`, `public.blog_posts`. */
  readonly id: string;
  readonly name: string;
  /** Its schema, which distinguishes two tables with the same name. */
  readonly space: string | null;
  readonly item: Item;
  readonly comment: ForeignComment | null;
  readonly columns: readonly ForeignColumn[];
  readonly key: ForeignList | null;
  readonly uniques: readonly ForeignList[];
  readonly indexes: readonly ForeignList[];
  readonly references: readonly ForeignReference[];
  /** Many-to-many relations without columns of their own. */
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
  /** The item for "required". Null if the column is optional, or is implicitly required. */
  readonly required: Item | null;
  readonly default: { readonly value: ForeignDefault; readonly item: Item } | null;
  /** The expression of a generated column. Its tree is null if it can't be parsed. */
  readonly generated: ForeignCheck | null;
  /** The smallest and greatest value, if the type has such limits. */
  readonly bounds: { readonly min: string; readonly max: string } | null;
}

export interface ForeignReference {
  readonly name: string;
  readonly item: Item;
  readonly columns: readonly string[];
  /** The id of the table, which can be outside of the import. */
  readonly table: string;
  readonly targetColumns: readonly string[];
  readonly onDelete: "restrict" | "cascade" | "set_null" | "set_default";
  readonly onDeleteItem: Item | null;
  readonly onUpdateItem: Item | null;
  /** The name on the other side. */
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
  /** In the syntax of the source. */
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
  /** Database roles. Empty for everybody. */
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
  /** `zoned` is false if the source stores no time zone, and nothing else defines one. */
  | { readonly kind: "datetime"; readonly zoned: boolean }
  | { readonly kind: "decimal"; readonly precision: number | null; readonly scale: number }
  | { readonly kind: "vector"; readonly dimensions: number | null }
  | { readonly kind: "enum"; readonly enum: ForeignEnum }
  /** Text in the blueprint, with a note. */
  | { readonly kind: "as_text"; readonly name: string }
  | { readonly kind: "unsupported"; readonly name: string };

export type ForeignDefault =
  | { readonly kind: "literal"; readonly value: Literal }
  | { readonly kind: "now" | "today" | "uuid" | "autoincrement" | "updated_at" }
  /** Any other expression, in the syntax of the source. */
  | { readonly kind: "expression"; readonly text: string };

export type Literal = string | number | boolean | null | readonly Literal[] | { readonly [key: string]: Literal };
