// Finds out which fields of a record a caller can read. In: an entity and the caller's roles. Out: the fields, each
// always or under a rule over the row. It never shows an internal field or a secret, whatever a grant says.
import { type BundleField, distinctPredicates, type Grant, type Predicate, predicateSql } from "@plinth/bundle";
import { quoteIdentifier, quoteLiteral } from "@plinth/postgres";
import { SERVICE_ROLE } from "../project/principal.ts";
import { ALWAYS, allOf, type Condition, NEVER } from "./condition.ts";
import {
  type EntityView,
  grantsOf,
  oneHolds,
  permission,
  type StatementCaller,
  type WrittenPairs,
  wireValue,
} from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";
import { isJoined, shownPairs } from "./references.ts";

export interface ReadableField {
  readonly field: BundleField;
  /** One of these must hold for the row; null if the field is readable in every readable record. */
  readonly rules: readonly Predicate[] | null;
}

/** A record shows the union of the fields from all grants that hold for it. */
export function readableFields(view: EntityView, roles: readonly string[]): readonly ReadableField[] {
  if (!view.narrowed) return view.shown.map((field) => ({ field, rules: null }));
  const grants = grantsOf(view.entity, "read", roles).map(([, grant]) => grant);
  return view.shown.flatMap((field) => {
    const readable = rulesOf(field.name, grants);
    return readable === "never" ? [] : [{ field, rules: readable }];
  });
}

function rulesOf(name: string, grants: readonly Grant[]): readonly Predicate[] | null | "never" {
  // A record always has its id.
  if (name === "id") return null;
  const showing = grants.filter((grant) => grant.fields === null || grant.fields.includes(name));
  if (showing.length === 0) return "never";
  return opensAll(showing, grants) ? null : distinctPredicates(showing.map((grant) => grant.rule));
}

/** Whether some of the grants hold wherever one of all of them does. */
export function opensAll(some: readonly Grant[], all: readonly Grant[]): boolean {
  const said = new Set(some.map((grant) => predicateSql(grant.rule)));
  return some.some(({ rule }) => rule.kind === "always") || all.every((grant) => said.has(predicateSql(grant.rule)));
}

/** Whether a caller can read a field of a list's records: in none, in some, or in all that they see. */
export function readabilityOf(
  view: EntityView,
  field: BundleField,
  roles: readonly string[],
): "never" | "sometimes" | "always" {
  if (field.hidden || field.secret) return "never";
  if (!view.narrowed) return "always";
  const readable = readableFields(view, roles).find((each) => each.field.name === field.name);
  if (readable === undefined) return "never";
  return readable.rules === null ? "always" : "sometimes";
}

/** Whether the caller can read the field in this row. */
export function isReadable(
  view: EntityView,
  field: BundleField,
  caller: StatementCaller,
  row: string,
  parameters: Parameters,
): Condition {
  if (caller.roles.includes(SERVICE_ROLE)) return ALWAYS;
  const readable = readableFields(view, caller.roles).find((each) => each.field.name === field.name);
  if (readable === undefined) return NEVER;
  const shown = readable.rules === null ? ALWAYS : oneHolds(view, readable.rules, parameters, { record: row });
  // Checked before any parameter gets a number, because an unused parameter is an error.
  if (shown.kind === "never") return shown;
  return allOf([permission(view, "read", caller, parameters, { record: row }), shown]);
}

/** Maximum records of a page. It is also the default if it is less than the API's. */
export function pageBound(view: EntityView, roles: readonly string[], pageMax: number): number {
  if (!view.narrowed) return pageMax;
  const limits = grantsOf(view.entity, "read", roles).map(([, grant]) => grant.limit);
  if (limits.length === 0 || limits.includes(null)) return pageMax;
  return Math.min(pageMax, Math.max(...limits.map((limit) => limit ?? 0)));
}

/** Values that the statement is about to change elsewhere, and therefore can't see. */
export interface Unseen {
  /** Field > SQL that replaces the field's own value. */
  readonly values: ReadonlyMap<string, string>;
  readonly pairs: WrittenPairs;
}
const none: Unseen = { values: new Map(), pairs: new Map() };

/**
 * A field's value in JSON as the caller sees it, if they can read the field. A list of records only names the records
 * that they can read.
 */
export function shownValue(
  view: EntityView,
  caller: StatementCaller,
  field: BundleField,
  row: string,
  parameters: Parameters,
  written?: WrittenPairs,
): string {
  return isJoined(field)
    ? shownPairs(view, field, row, caller, parameters)
    : wireValue(view, field, row, parameters, written);
}

/** The record as JSON text, from a row of that alias. */
export function recordJson(
  view: EntityView,
  caller: StatementCaller,
  row: string,
  parameters: Parameters,
  unseen: Unseen = none,
): string {
  const fields = readableFields(view, caller.roles);
  const value = ({ field }: ReadableField): string =>
    unseen.values.get(field.name) ?? shownValue(view, caller, field, row, parameters, unseen.pairs);
  if (fields.every((each) => each.rules === null)) {
    const columns = fields.map((each) => `${value(each)} as ${quoteIdentifier(each.field.name)}`);
    return `(select row_to_json(_x)::text from (select ${columns.join(", ")}) _x)`;
  }
  // `row_to_json` can't leave a member out, and dropping nulls would drop nulls that are values.
  const members = fields.map((each) => {
    const member = `concat(${quoteLiteral(`"${each.field.name}":`)}, coalesce(to_json(${value(each)})::text, 'null'))`;
    if (each.rules === null) return member;
    const shown = oneHolds(view, each.rules, parameters, { record: row, written: unseen.pairs });
    return `case when ${shown.sql} then ${member} end`;
  });
  return `concat('{', concat_ws(',', ${members.join(", ")}), '}')`;
}

/** The record if the caller can read it, else only its id. */
export function readableJson(
  view: EntityView,
  caller: StatementCaller,
  parameters: Parameters,
  row: string,
  unseen: Unseen = none,
): string {
  const readable = permission(view, "read", caller, parameters, { record: row, written: unseen.pairs });
  const idOnly = `json_build_object('id', ${row}."id")::text`;
  if (readable.kind === "never") return idOnly;
  const json = recordJson(view, caller, row, parameters, unseen);
  return readable.kind === "always" ? json : `case when ${readable.sql} then ${json} else ${idOnly} end`;
}
