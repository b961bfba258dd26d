// The scope in which a rule is checked: the schema, its record, and its operation. It is only data; `resolve-name.ts`
// says what a name means in it.
import type { Schema } from "./schema.ts";
import type { RowName, Type } from "./tree.ts";

export type RuleOperation = "read" | "create" | "update" | "delete" | "restore" | `transition:${string}`;

/** The value of a name that is not a row. */
export type ValueShape =
  /** It has named members; the value itself can be passed on as JSON. */
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, ValueShape> }
  | { readonly kind: "list"; readonly of: ValueShape }
  | { readonly kind: "value"; readonly type: Type }
  /** Nothing is known about it: any path is valid, and its type is that of the other side of a comparison. */
  | { readonly kind: "json" };

/** What background work can use: no relations, no rules, no request. */
export interface WorkScope {
  /** `event`, `input`, `steps`, `each`, `error`, `run`: those that exist. */
  readonly values: ReadonlyMap<string, ValueShape>;
  /** The available rows of the scope's record; none if `record` is empty. */
  readonly rows: readonly ("record" | "old")[];
  /** Whether there can be a signed-in user: only in actions. */
  readonly user: boolean;
}

export type Reach = "row" | "references" | "records";

export interface Scope {
  readonly schema: Schema;
  /** The record of the rule. */
  readonly record: string;
  readonly operation: RuleOperation;
  /**
   * The row for bare names; by default `new` on create, both rows on update and on transitions, `record` elsewhere. The
   * `when` of a transition uses the row before: `old`.
   */
  readonly bare?: RowName;
  /**
   * Without a caller, there is no user and no request. `row`: only the row's own fields (checks of a table).
   * `references`: also fields of the records that it refers to (`fill` of existing rows). `records`: also fields of the
   * records that refer to it (computed fields).
   */
  readonly reach?: Reach;
  /** If the expression is in background work. Bare names are then not fields. */
  readonly work?: WorkScope;
}

/** Names with their own meaning. A field with such a name is written `record.x` (or wins, see `resolve-name.ts`). */
export const specialNames: readonly string[] = [
  "record",
  "old",
  "new",
  "input",
  "current_user",
  "current_org",
  "request",
  "now",
  "today",
];

/** Whether bare names are checked on the row before and on the row after. */
export function splitsRows({ operation, bare }: Scope): boolean {
  return bare === undefined && (operation === "update" || operation.startsWith("transition:"));
}

/** The rows of an operation in addition to the one for bare names. */
export function rowsOf({ operation }: Scope): readonly RowName[] {
  if (operation === "create") return ["new", "input"];
  if (operation === "update" || operation.startsWith("transition:")) return ["old", "new", "input"];
  return ["record"];
}
