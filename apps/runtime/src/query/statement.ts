// The type of a statement, and the parts that several of them share: the locked row, the audit row. In: an entity and
// the caller. Out: SQL. It never contains a value.
import type { BundleField, Operation } from "@plinth/bundle";
import { type Confirmation, quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { MASK } from "../project/mask.ts";
import type { Lane } from "../project/tenant.ts";
import { anyOf, type Condition } from "./condition.ts";
import { column, type EntityView, living, permission, type StatementCaller, type StoredField } from "./entity-view.ts";
import type { Parameters, Slot } from "./parameters.ts";
import type { ParentLock } from "./parent-lock.ts";

export interface Statement {
  readonly text: string;
  readonly slots: readonly Slot[];
  readonly lane: Lane;
  /** Whether it is worth keeping prepared. */
  readonly keep: boolean;
  /** Whether it commits something. */
  readonly writes: boolean;
  /** Counters from which it may take numbers. It locks them until its transaction ends. */
  readonly numbers?: readonly string[];
  /** A query for what it can't see in its own snapshot. */
  readonly confirm?: Confirmation;
  /** Runs before it in its transaction; slow lane only. */
  readonly lock?: ParentLock;
}

/** The results of a write in addition to the rule; each has a column. */
export type Check =
  /** The record that the field refers to exists and can be read. */
  | { readonly kind: "reference"; readonly field: BundleField; readonly judges: Judged }
  /** A grant that holds for this record lets the caller write the field. */
  | { readonly kind: "field"; readonly field: BundleField }
  /** A field that only an admin can change has its previous value. */
  | { readonly kind: "own"; readonly field: BundleField; readonly judges: Judged }
  /** The record has one of the accepted versions. */
  | { readonly kind: "version" }
  /** An edge that the caller can use leads to the new state. */
  | { readonly kind: "state" }
  /** The caller can read the field that they add to, or the field has a value to add to. */
  | { readonly kind: "unread" | "unset"; readonly field: BundleField }
  /** The fields that the edge requires have values. */
  | { readonly kind: "complete" }
  /** Nobody changed the record since the statement's snapshot, which is how the statement sees joined rows. */
  | { readonly kind: "current" };

/**
 * The result of a check on the body and on what the caller can read may be shown to everybody; a check on the row, only
 * to callers whom the rule allows the write.
 */
type Judged = "body" | "row";

export interface DeleteStatement extends Statement {
  /** Whether the columns after the first (whether the rule allows it) are those of a cascade. */
  readonly cascades: boolean;
}

/**
 * Column i is `checks[i]`, the next one is whether the rule allows it, then comes the record (null if nothing was
 * written). With a check of the state, the found state follows (null if the caller may not know it), and the names of
 * missing fields.
 */
export interface WriteStatement extends Statement {
  readonly checks: readonly Check[];
}

/** Locks the current row for as long as the statement runs; empty if it is missing or hidden. */
export function lockedRow(
  view: EntityView,
  operation: Operation,
  caller: StatementCaller,
  parameters: Parameters,
): string {
  const columns = view.stored.map((field) => column("_r", field)).join(", ");
  const visible = visibleFor(view, operation, caller, parameters);
  const present = operation === "restore" ? "" : living(view, "_r");
  return `select ${columns} from ${view.from} _r where _r."id" = ${parameters.recordId()} and ${visible}${present} for update of _r`;
}

/**
 * A caller who may change a record may know that it exists, even if they can't read it. For all others it is missing.
 */
export function visibleFor(
  view: EntityView,
  operation: Operation,
  caller: StatementCaller,
  parameters: Parameters,
): string {
  const either = (numbered: Parameters): Condition =>
    anyOf([
      permission(view, "read", caller, numbered, { record: "_r" }),
      permission(view, operation, caller, numbered, { record: "_r", old: "_r", new: "_r" }),
    ]);
  // Tried separately, because Postgres can't type a parameter that has a number but isn't used in the text.
  const tried = either(parameters.apart());
  return tried.kind === "sql" ? either(parameters).sql : tried.sql;
}

/** Null if an outer join found no such row. */
export function ifPresent(row: string, json: string): string {
  return `case when ${row}."id" is not null then ${json} end`;
}

/** The audit log's form of a value. A masked value only shows that there was one. */
export function auditValue(row: string, field: BundleField): string {
  const value = column(row, field);
  return field.masked || field.secret ? `case when ${value} is not null then ${quoteLiteral(MASK)} end` : value;
}

/** Not `to_jsonb(row)`: a table can have columns that aren't fields (a user's password hash). */
export function rowAsJson(view: EntityView, row: string, more: readonly string[] = []): string {
  const columns = view.stored
    .filter((field) => !field.hidden)
    .map((field) => `${auditValue(row, field)} as ${quoteIdentifier(field.name)}`);
  return `(select to_jsonb(_x) from (select ${[...columns, ...more].join(", ")}) _x)`;
}

/** SQL: whether the row has a version that the write accepts. */
export function hasVersion(caller: StatementCaller, row: string, parameters: Parameters): string {
  return caller.isConditional === true ? `(${row}."version" = any(${parameters.versions()}))` : "true";
}

export function namedFlags(flags: readonly string[], allowed: string): string {
  return [...flags.map((flag, i) => `${flag} as _ref_${i}`), `${allowed} as _allowed`].join(", ");
}

export function allFlags(flags: readonly string[]): string {
  return [...flags.map((_, i) => `_chk._ref_${i}`), "_chk._allowed"].join(" and ");
}

export function flagColumns(flags: readonly string[]): string {
  return [...flags.map((_, i) => `_chk._ref_${i}`), "_chk._allowed"].join(", ");
}

/** Whether the service updates the field with every change. */
export function isTouched(field: StoredField): boolean {
  return field.writer === "service" && (field.name === "version" || field.name === "updated_at");
}

/** `version` and `updated_at` after a change of that row. */
export function touchedValue(field: StoredField, row: string): string {
  return field.name === "version" ? `${column(row, field)} + 1` : "now()";
}

/** The assignments in every change of that row. */
export function touches(view: EntityView, row: string): readonly string[] {
  return view.stored.filter(isTouched).map((field) => `${quoteIdentifier(field.column)} = ${touchedValue(field, row)}`);
}
