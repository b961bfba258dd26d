// What a statement is, and the parts that several of them share: the locked row, the audit row. In: an entity and who asks.
// Out: SQL. It never holds a value.
import type { BundleField, Operation } from "@plinth/bundle";
import { type Confirmation, quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { MASK } from "../project/mask.ts";
import type { Lane } from "../project/tenant.ts";
import { anyOf, type Condition } from "./condition.ts";
import { type Asker, column, type EntityView, living, permission, type StoredField } from "./entity-view.ts";
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
  /** Counters that it may take numbers from, and then holds until its transaction ends. */
  readonly numbers?: readonly string[];
  /** What it can't see in its own snapshot. */
  readonly confirm?: Confirmation;
  /** What runs before it in its transaction; slow lane only. */
  readonly lock?: ParentLock;
}

/** What a write finds out beside the rule; each is told by a column. */
export type Check =
  /** The record that the field refers to exists and may be read. */
  | { readonly kind: "reference"; readonly field: BundleField; readonly judges: Judged }
  /** A grant that holds for this record lets the caller write the field. */
  | { readonly kind: "field"; readonly field: BundleField }
  /** A field that only an admin gives another value has the one that it had. */
  | { readonly kind: "own"; readonly field: BundleField; readonly judges: Judged }
  /** The record has a version that the caller asks for. */
  | { readonly kind: "version" }
  /** An edge that the caller may take leads to the new state. */
  | { readonly kind: "state" }
  /** The caller reads the field that they add to, or it has a value that is added to. */
  | { readonly kind: "unread" | "unset"; readonly field: BundleField }
  /** What that edge requires has a value. */
  | { readonly kind: "complete" }
  /** Nobody changed the record since the statement's snapshot, which is all that joined rows are seen by. */
  | { readonly kind: "current" };

/** A check of the body, beside what the caller reads, may be told to everybody; one of the row, to whom the rule allows the write. */
type Judged = "body" | "row";

export interface DeleteStatement extends Statement {
  /** The first column tells whether the rule allows it; then, of a cascade, what stands against it. */
  readonly cascades: boolean;
}

/**
 * `checks[i]` is told by column i, whether the rule allows it by the next, then the record (null where nothing was
 * written). With a check of the state: then the state that was found (null where the caller may not know it), and the
 * names of what is missing.
 */
export interface WriteStatement extends Statement {
  readonly checks: readonly Check[];
}

/** The row as it is now, for as long as the statement runs; none where it is missing or hidden. */
export function lockedRow(view: EntityView, operation: Operation, asker: Asker, parameters: Parameters): string {
  const columns = view.stored.map((field) => column("_r", field)).join(", ");
  const visible = visibleFor(view, operation, asker, parameters);
  const present = operation === "restore" ? "" : living(view, "_r");
  return `select ${columns} from ${view.from} _r where _r."id" = ${parameters.recordId()} and ${visible}${present} for update of _r`;
}

/** Who may change a record knows that it exists, whether or not they may read it; for all others it is missing. */
export function visibleFor(view: EntityView, operation: Operation, asker: Asker, parameters: Parameters): string {
  const either = (numbered: Parameters): Condition =>
    anyOf([
      permission(view, "read", asker, numbered, { record: "_r" }),
      permission(view, operation, asker, numbered, { record: "_r", old: "_r", new: "_r" }),
    ]);
  // Tried apart: a parameter that is numbered, but stands nowhere in the text, is one that Postgres can't type.
  const tried = either(parameters.apart());
  return tried.kind === "sql" ? either(parameters).sql : tried.sql;
}

/** Null where an outer join found no such row. */
export function ifPresent(row: string, json: string): string {
  return `case when ${row}."id" is not null then ${json} end`;
}

/** What the audit log keeps of a value: of a masked one, that there was one. */
export function auditValue(row: string, field: BundleField): string {
  const value = column(row, field);
  return field.masked || field.secret ? `case when ${value} is not null then ${quoteLiteral(MASK)} end` : value;
}

/** Not `to_jsonb(row)`: a table may hold columns that are no fields (a user's password hash). */
export function rowAsJson(view: EntityView, row: string, more: readonly string[] = []): string {
  const columns = view.stored
    .filter((field) => !field.hidden)
    .map((field) => `${auditValue(row, field)} as ${quoteIdentifier(field.name)}`);
  return `(select to_jsonb(_x) from (select ${[...columns, ...more].join(", ")}) _x)`;
}

/** SQL: whether the row has a version that the write is for. */
export function hasVersion(asker: Asker, row: string, parameters: Parameters): string {
  return asker.isConditional === true ? `(${row}."version" = any(${parameters.versions()}))` : "true";
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

/** What the service itself moves on with every change. */
export function isTouched(field: StoredField): boolean {
  return field.writer === "service" && (field.name === "version" || field.name === "updated_at");
}

/** `version` and `updated_at` as they are after a change of that row. */
export function touchedValue(field: StoredField, row: string): string {
  return field.name === "version" ? `${column(row, field)} + 1` : "now()";
}

/** The assignments that go with every change of that row. */
export function touches(view: EntityView, row: string): readonly string[] {
  return view.stored.filter(isTouched).map((field) => `${quoteIdentifier(field.column)} = ${touchedValue(field, row)}`);
}
