// What a rule is checked in: the schema, the record that it stands on, the operation that it decides.
// Data alone; `resolve-name.ts` says what a name means in it.
import type { Schema } from "./schema.ts";
import type { RowName, Type } from "./tree.ts";

export type RuleOperation = "read" | "create" | "update" | "delete" | "restore" | `transition:${string}`;

/** What stands under a name beside the rows. */
export type ValueShape =
  /** Named members; itself it may be handed on as JSON. */
  | { readonly kind: "object"; readonly members: ReadonlyMap<string, ValueShape> }
  | { readonly kind: "list"; readonly of: ValueShape }
  | { readonly kind: "value"; readonly type: Type }
  /** Nothing is known of it: any path leads through it, and it is read as what it is compared with. */
  | { readonly kind: "json" };

/** What work in the background sees: no relations, no rules, nothing of a request. */
export interface WorkScope {
  /** `event`, `input`, `steps`, `each`, `error`, `run`: those that are there. */
  readonly values: ReadonlyMap<string, ValueShape>;
  /** The rows of the scope's record that are there; none where `record` names no record. */
  readonly rows: readonly ("record" | "old")[];
  /** Whether somebody is signed in: in actions alone. */
  readonly user: boolean;
}

export type Reach = "row" | "references" | "records";

export interface Scope {
  readonly schema: Schema;
  /** The record that the rule stands on. */
  readonly record: string;
  readonly operation: RuleOperation;
  /**
   * The row that bare names are read from; else `new` on create, both rows on update and on transitions, `record` elsewhere.
   * The `when` of a transition is judged on the row before: `old`.
   */
  readonly bare?: RowName;
  /**
   * Where nobody asks, so that there is no user and nothing of a request. `row`: only the row's own fields (checks of a table);
   * `references`: those of the records that it refers to as well (what rows that stand are filled with); `records`: those of
   * the records that refer to it, too (computed fields).
   */
  readonly reach?: Reach;
  /** Where the expression is one of work in the background. Bare names are then no fields. */
  readonly work?: WorkScope;
}

/** Names with a meaning of their own; a field of the record that is called so is written `record.x` (or wins, see `resolve-name.ts`). */
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

/** Whether bare names are judged on the row before and on the row after. */
export function splitsRows({ operation, bare }: Scope): boolean {
  return bare === undefined && (operation === "update" || operation.startsWith("transition:"));
}

/** The rows that an operation has beside the one that bare names are read from. */
export function rowsOf({ operation }: Scope): readonly RowName[] {
  if (operation === "create") return ["new", "input"];
  if (operation === "update" || operation.startsWith("transition:")) return ["old", "new", "input"];
  return ["record"];
}
