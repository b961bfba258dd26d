// Writes the statements about single records. In: an entity, the caller's roles, the shape of the input. Out: SQL and slots.
// One statement does all: rule, references, change and audit row. It never holds a value, and never reads twice.
import type { BundleField } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import type { Lane } from "../http/contracts.ts";
import { column, type EntityView, fill, permission, recordJson } from "./entity-view.ts";
import { Parameters, type Slot } from "./parameters.ts";

export interface Statement {
  readonly text: string;
  readonly slots: readonly Slot[];
  readonly lane: Lane;
  /** Whether it is worth keeping prepared. */
  readonly keep: boolean;
}

/** A statement that checks references: `references[i]` is told by column i, `allowed` by the next, the body follows. */
export interface WriteStatement extends Statement {
  readonly references: readonly BundleField[];
}

/** Columns: the record. No row: missing or hidden. */
export function readStatement(view: EntityView, roles: readonly string[]): Statement {
  const parameters = new Parameters();
  const visible = permission(view, "read", roles, parameters, { record: "r" });
  const columns = view.entity.fields.map(
    (field) => `${fill(field.select, view.schema, parameters, { row: "r" })} as ${quoteIdentifier(field.name)}`,
  );
  const text =
    `select row_to_json(x)::text from (select ${columns.join(", ")} from ${view.from} r ` +
    `where r."id" = ${parameters.recordId()} and ${visible}) x`;
  return { text, slots: parameters.slots, lane: "fast", keep: true };
}

/**
 * Columns: one flag per reference, whether the rule allows it, the record (null where nothing was inserted). Where no
 * reference is to be checked, no row says that the rule refused.
 * What wasn't given is a parameter too, so that callers can't invent shapes; of the body, `given` names only those
 * references that the service would else fill itself, and then need no check.
 */
export function createStatement(view: EntityView, roles: readonly string[], given: readonly string[]): WriteStatement {
  const parameters = new Parameters();
  const { fields } = view.entity;
  const initial = fields.map((field) => `${initialValue(view, field, parameters)} as ${quoteIdentifier(field.column)}`);
  const references = fields.filter((field) => isCheckedReference(field, given));
  const flags = references.map(
    (field) => `(${column("new_row", field)} is null or ${targetReadable(view, field, roles, parameters)})`,
  );
  const allowed = permission(view, "create", roles, parameters, { new: "new_row" });
  const names = fields.map((field) => quoteIdentifier(field.column)).join(", ");
  const values = fields.map((field) => column("new_row", field)).join(", ");
  const insert = `insert into ${view.from} (${names}) select ${values} from new_row`;
  const audit = auditInsert(view, "create", parameters, rowAsJson(fields, "ins"), "ins");
  const json = readableJson(view, roles, parameters, "ins");
  const newRow = `new_row as (select ${initial.join(", ")})`;
  const text =
    flags.length === 0
      ? `with ${newRow}, ins as (${insert} where ${allowed} returning *), aud as (${audit}) select true, ${json} from ins`
      : `with ${newRow}, chk as (select ${namedFlags(flags, allowed)} from new_row), ` +
        `ins as (${insert}, chk where ${allFlags(flags)} returning *), aud as (${audit}) ` +
        `select ${flagColumns(flags)}, ${ifPresent("ins", json)} from chk left join ins on true`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, references };
}

/** Of a create's references: those that a body decides. What the service fills in is the current user, who exists. */
function isCheckedReference(field: BundleField, given: readonly string[]): boolean {
  if (field.references === null || field.writer === "service") return false;
  return field.default === null || given.includes(field.name);
}

/** The fields that a create's shape depends on. */
export function shapingFields(view: EntityView, given: Iterable<string>): readonly string[] {
  return [...given].filter((name) => {
    const field = view.fields.get(name);
    return field !== undefined && field.default !== null && isCheckedReference(field, [name]);
  });
}

/**
 * Columns as for a create. No row: missing or hidden.
 *
 * The lock comes first: without it, an owner who has just lost the row could still write it, because the rule would
 * be judged on the row as it was when the statement began. With it, Postgres judges `cur` on the row as it is now.
 */
export function updateStatement(view: EntityView, roles: readonly string[], given: readonly string[]): WriteStatement {
  const parameters = new Parameters();
  const changed = view.entity.fields.filter((field) => given.includes(field.name));
  const touched = view.entity.fields.filter((field) => isTouched(field));
  const next = view.entity.fields.map((field) => {
    const old = column("cur", field);
    if (changed.includes(field))
      return `${parameters.value(field.name, field.sqlType)} as ${quoteIdentifier(field.column)}`;
    if (!touched.includes(field)) return old;
    return `${field.name === "version" ? `${old} + 1` : "now()"} as ${quoteIdentifier(field.column)}`;
  });
  const references = changed.filter((field) => field.references !== null);
  const flags = references.map((field) => {
    const value = column("new_row", field);
    const same = `${value} is not distinct from ${column("cur", field)}`;
    return `(${value} is null or ${same} or ${targetReadable(view, field, roles, parameters)})`;
  });
  const allowed = permission(view, "update", roles, parameters, { old: "cur", new: "new_row" });
  const sets = [...changed, ...touched].map(
    (field) => `${quoteIdentifier(field.column)} = ${column("new_row", field)}`,
  );
  const changes = changed.map(
    (field) => `jsonb_build_array(${column("cur", field)}, ${column("upd", field)}) as ${quoteIdentifier(field.name)}`,
  );
  const text =
    `with cur as (${lockedRow(view, "update", roles, parameters)}), ` +
    `new_row as (select ${next.join(", ")} from cur), ` +
    `chk as (select ${namedFlags(flags, allowed)} from cur, new_row), ` +
    `upd as (update ${view.from} r set ${sets.join(", ")} from new_row, chk ` +
    `where r."id" = new_row."id" and ${allFlags(flags)} returning r.*), ` +
    `aud as (${auditInsert(view, "update", parameters, `(select to_jsonb(x) from (select ${changes.join(", ")}) x)`, "upd", "cur")}) ` +
    `select ${flagColumns(flags)}, ${ifPresent("upd", readableJson(view, roles, parameters, "upd"))} from chk left join upd on true`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, references };
}

/** An update that changes nothing: the same answers, but no version, no audit row, no lock. Columns as for a create. */
export function emptyUpdateStatement(view: EntityView, roles: readonly string[]): WriteStatement {
  const parameters = new Parameters();
  const allowed = permission(view, "update", roles, parameters, { old: "r", new: "r" });
  const text =
    `select ${allowed}, ${readableJson(view, roles, parameters, "r")} from ${view.from} r ` +
    `where r."id" = ${parameters.recordId()} and ${visibleFor(view, "update", roles, parameters)}`;
  return { text, slots: parameters.slots, lane: "fast", keep: true, references: [] };
}

/** Columns: whether it was deleted. No row: missing or hidden. */
export function deleteStatement(view: EntityView, roles: readonly string[]): Statement {
  const parameters = new Parameters();
  const allowed = permission(view, "delete", roles, parameters, { record: "cur" });
  const text =
    `with cur as (${lockedRow(view, "delete", roles, parameters)}), ` +
    `del as (delete from ${view.from} r using cur where r."id" = cur."id" and ${allowed} returning r."id"), ` +
    `aud as (${auditInsert(view, "delete", parameters, rowAsJson(view.entity.fields, "cur"), "del", "cur")}) ` +
    `select del."id" is not null from cur left join del on true`;
  return { text, slots: parameters.slots, lane: "fast", keep: true };
}

function lockedRow(
  view: EntityView,
  operation: "update" | "delete",
  roles: readonly string[],
  parameters: Parameters,
): string {
  const columns = view.entity.fields.map((field) => column("r", field)).join(", ");
  const visible = visibleFor(view, operation, roles, parameters);
  return `select ${columns} from ${view.from} r where r."id" = ${parameters.recordId()} and ${visible} for update of r`;
}

/** Who may change a record knows that it exists, whether or not they may read it; for all others it is missing. */
function visibleFor(
  view: EntityView,
  operation: "update" | "delete",
  roles: readonly string[],
  parameters: Parameters,
): string {
  const readable = permission(view, "read", roles, parameters, { record: "r" });
  if (readable === "true") return readable;
  const changeable = permission(view, operation, roles, parameters, { record: "r", old: "r", new: "r" });
  return changeable === "true" ? changeable : `(${readable} or ${changeable})`;
}

function initialValue(view: EntityView, field: BundleField, parameters: Parameters): string {
  if (field.name === "id") return parameters.recordId();
  const fallback =
    field.default === null
      ? `null::${field.sqlType}`
      : `(${fill(field.default, view.schema, parameters, {})})::${field.sqlType}`;
  if (field.writer === "service") return fallback;
  const value = parameters.value(field.name, field.sqlType);
  return field.default === null
    ? value
    : `case when ${parameters.given(field.name)} then ${value} else ${fallback} end`;
}

/** One answer for a missing and for a hidden record. */
function targetReadable(
  view: EntityView,
  field: BundleField,
  roles: readonly string[],
  parameters: Parameters,
): string {
  const target = view.all.get(field.references ?? "");
  if (target === undefined) throw new Error(`${view.entity.name}.${field.name} refers to no entity`);
  const readable = permission(target, "read", roles, parameters, { record: "ref" });
  const value = column("new_row", field);
  return `exists (select 1 from ${target.from} ref where ref."id" = ${value} and ${readable})`;
}

function namedFlags(flags: readonly string[], allowed: string): string {
  return [...flags.map((flag, i) => `${flag} as ref_${i}`), `${allowed} as allowed`].join(", ");
}

function allFlags(flags: readonly string[]): string {
  return [...flags.map((_, i) => `chk.ref_${i}`), "chk.allowed"].join(" and ");
}

function flagColumns(flags: readonly string[]): string {
  return [...flags.map((_, i) => `chk.ref_${i}`), "chk.allowed"].join(", ");
}

/** The record where the caller may read it, else its id alone. */
function readableJson(view: EntityView, roles: readonly string[], parameters: Parameters, row: string): string {
  const readable = permission(view, "read", roles, parameters, { record: row });
  const idOnly = `json_build_object('id', ${row}."id")::text`;
  const json = readable === "false" ? idOnly : recordJson(view, row, parameters);
  return readable === "true" || readable === "false" ? json : `case when ${readable} then ${json} else ${idOnly} end`;
}

/** Null where an outer join found no such row. */
function ifPresent(row: string, json: string): string {
  return `case when ${row}."id" is not null then ${json} end`;
}

/** Not `to_jsonb(row)`: a table may hold columns that are no fields (a user's password hash). */
function rowAsJson(fields: readonly BundleField[], row: string): string {
  const columns = fields.map((field) => `${column(row, field)} as ${quoteIdentifier(field.name)}`);
  return `(select to_jsonb(x) from (select ${columns.join(", ")}) x)`;
}

function auditInsert(
  view: EntityView,
  operation: "create" | "update" | "delete",
  parameters: Parameters,
  changes: string,
  changed: string,
  ...others: readonly string[]
): string {
  return (
    `insert into ${view.schema}."audit_log" ` +
    `("request_id", "actor_kind", "actor_id", "operation", "entity", "record_id", "changes") ` +
    `select ${parameters.requestId()}, ${parameters.actorKind()}, ${parameters.actorId()}, '${operation}', ` +
    `${quoteLiteral(view.entity.name)}, ${changed}."id", ${changes} from ${[changed, ...others].join(", ")}`
  );
}

/** What the service itself moves on with every update. */
function isTouched(field: BundleField): boolean {
  return field.writer === "service" && (field.name === "version" || field.name === "updated_at");
}
