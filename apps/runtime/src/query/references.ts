// SQL for references. In: a field that refers to records. Out: SQL that tells whether they can be read, what a caller
// sees of a many-to-many list, and how its pairs are written. A missing and a hidden record get the same answer. When a
// caller writes a list, links that they can't see stay.
import type { BundleField } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import {
  column,
  type EntityView,
  living,
  permission,
  type StatementCaller,
  sameOrganization,
  type WrittenPairs,
  wireValue,
} from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";

export type JoinedField = BundleField & { readonly join: NonNullable<BundleField["join"]> };

export function isJoined(field: BundleField): field is JoinedField {
  return field.join !== null;
}

/** The many-to-many fields of these names. */
export function joinedFields(view: EntityView, names: Iterable<string>): readonly JoinedField[] {
  const given = new Set(names);
  return view.entity.fields.filter(isJoined).filter(({ name }) => given.has(name));
}

/** Whether the caller can see the record that the new row refers to. */
export function targetReadable(
  view: EntityView,
  field: BundleField,
  caller: StatementCaller,
  parameters: Parameters,
): string {
  const target = targetOf(view, field);
  const readable = permission(target, "read", caller, parameters, { record: "_ref" }).sql;
  const value = column("_new", field);
  const found = `${target.from} _ref where _ref."id" = ${value} and ${readable}${within(view, target)}${living(target, "_ref")}`;
  return `exists (select 1 from ${found}${heldAgainstMarks(target)})`;
}

/** Whether the caller can see all records of the sent list. */
export function targetsReadable(
  view: EntityView,
  field: JoinedField,
  caller: StatementCaller,
  parameters: Parameters,
): string {
  const target = targetOf(view, field);
  const readable = permission(target, "read", caller, parameters, { record: "_ref" }).sql;
  const ids = parameters.ids(field);
  const found = `${target.from} _ref where _ref."id" = any(${ids}) and ${readable}${within(view, target)}${living(target, "_ref")}`;
  const held = heldAgainstMarks(target);
  const rows = held === "" ? found : `(select 1 from ${found}${held}) as _held`;
  return `((select count(*) from ${rows}) = cardinality(${ids}))`;
}

/**
 * The same for a reference that a grant sets, which nobody needs to be able to read; null if it can't lead to another
 * organization.
 */
export function targetWithin(view: EntityView, field: BundleField): string | null {
  const target = targetOf(view, field);
  const same = sameOrganization(view, "_new", target, "_ref");
  if (same === null) return null;
  const value = column("_new", field);
  return `(${value} is null or exists (select 1 from ${target.from} _ref where _ref."id" = ${value} and ${same}))`;
}

/** Records of one organization only refer to each other, whoever writes them. */
function within(view: EntityView, target: EntityView): string {
  const same = sameOrganization(view, "_new", target, "_ref");
  return same === null ? "" : ` and ${same}`;
}

/**
 * A foreign key doesn't notice that a record is being marked as deleted. So the check waits for that, and looks again.
 */
function heldAgainstMarks(target: EntityView): string {
  return target.entity.softDelete === null ? "" : " for key share of _ref";
}

function targetOf(view: EntityView, field: BundleField): EntityView {
  const target = view.all.get(field.references ?? "");
  if (target === undefined) throw new Error(`${view.entity.name}.${field.name} refers to no entity`);
  return target;
}

/** The CTE that adds the pairs of a row that was just written. */
export function pairsInsert(view: EntityView, field: JoinedField, row: string, parameters: Parameters): string {
  const { table, own, other } = field.join;
  return (
    `insert into ${view.schema}.${quoteIdentifier(table)} (${quoteIdentifier(own)}, ${quoteIdentifier(other)}) ` +
    `select ${row}."id", _u from ${row}, unnest(${parameters.ids(field)}) as _u on conflict do nothing`
  );
}

/** The CTE that removes the pairs that aren't in the sent list, if the caller sees them. */
export function pairsDelete(
  view: EntityView,
  field: JoinedField,
  row: string,
  caller: StatementCaller,
  parameters: Parameters,
): string {
  const { table, own, other } = field.join;
  const hidden = hiddenPair(view, field, "_j", caller, parameters);
  return (
    `delete from ${view.schema}.${quoteIdentifier(table)} _j using ${row} where _j.${quoteIdentifier(own)} = ${row}."id" ` +
    `and _j.${quoteIdentifier(other)} <> all (${parameters.ids(field)})${hidden === null ? "" : ` and not ${hidden}`}`
  );
}

/** SQL: the pair leads to a record that the caller can't see, including deleted ones; null if there can be none. */
function hiddenPair(
  view: EntityView,
  field: JoinedField,
  pair: string,
  caller: StatementCaller,
  parameters: Parameters,
): string | null {
  const target = targetOf(view, field);
  const readable = permission(target, "read", caller, parameters, { record: "_ref" });
  if (readable.kind === "never") return "true";
  if (readable.kind === "always" && target.entity.softDelete === null) return null;
  const member = `${pair}.${quoteIdentifier(field.join.other)}`;
  return `not exists (select 1 from ${target.from} _ref where _ref."id" = ${member} and ${readable.sql}${living(target, "_ref")})`;
}

/** The list as the caller sees it. If they see all records of its entity, it costs no more than the list itself. */
export function shownPairs(
  view: EntityView,
  field: JoinedField,
  row: string,
  caller: StatementCaller,
  parameters: Parameters,
): string {
  const target = targetOf(view, field);
  const readable = permission(target, "read", caller, parameters, { record: "_ref" });
  if (readable.kind === "always") return wireValue(view, field, row, parameters);
  if (readable.kind === "never") return "'[]'::json";
  const { table, own, other } = field.join;
  return (
    `(select coalesce(json_agg(_ref."id" order by _ref."id"), '[]'::json) from ${view.schema}.${quoteIdentifier(table)} _pair ` +
    `join ${target.from} _ref on _ref."id" = _pair.${quoteIdentifier(other)} ` +
    `where _pair.${quoteIdentifier(own)} = ${row}."id" and ${readable.sql}${living(target, "_ref")})`
  );
}

/** The sent list as it will be read, because the statement can't see the pairs that it writes itself. */
export function sentPairs(field: JoinedField, parameters: Parameters): string {
  return `(select coalesce(json_agg(_u order by _u), '[]'::json) from unnest(${parameters.ids(field)}) as _u)`;
}

/** The visible part of a list that was stored as jsonb; null if the caller sees all of it. */
export function shownOfKept(
  view: EntityView,
  field: JoinedField,
  kept: string,
  caller: StatementCaller,
  parameters: Parameters,
): string | null {
  const target = targetOf(view, field);
  const readable = permission(target, "read", caller, parameters, { record: "_ref" });
  if (readable.kind === "always") return null;
  if (readable.kind === "never") return "'[]'::jsonb";
  // A field of this name may have had another type when the event was stored.
  const texts = `jsonb_array_elements_text(case when jsonb_typeof(${kept}) = 'array' then ${kept} else '[]'::jsonb end)`;
  const ids = `array(select case when _kept ~ '^[0-9a-f-]{36}$' then _kept::uuid end from ${texts} as _kept)`;
  return (
    `(select coalesce(jsonb_agg(_ref."id" order by _ref."id"), '[]'::jsonb) from ${target.from} _ref ` +
    `where _ref."id" = any(${ids}) and ${readable.sql}${living(target, "_ref")})`
  );
}

/**
 * The future list: the sent ids, and the ids that stay because the caller can't see them. `living`: without deleted
 * records.
 */
export function pairsAfter(
  view: EntityView,
  field: JoinedField,
  row: string,
  caller: StatementCaller,
  parameters: Parameters,
  of: "all" | "living",
): string {
  const hidden = hiddenPair(view, field, "_j", caller, parameters);
  if (hidden === null) return sentPairs(field, parameters);
  const { table, own, other } = field.join;
  const target = targetOf(view, field);
  const member = `_j.${quoteIdentifier(other)}`;
  const alive =
    of === "all" || target.entity.softDelete === null
      ? ""
      : ` and exists (select 1 from ${target.from} _alive where _alive."id" = ${member}${living(target, "_alive")})`;
  return (
    `(select coalesce(json_agg(_list._u order by _list._u), '[]'::json) from (select _u from unnest(${parameters.ids(field)}) as _u ` +
    `union select ${member} from ${view.schema}.${quoteIdentifier(table)} _j ` +
    `where _j.${quoteIdentifier(own)} = ${row}."id" and ${hidden}${alive}) _list)`
  );
}

/** All pairs after a row of this entity has the pairs of the sent lists, and those that stay. */
export function writtenPairs(
  view: EntityView,
  fields: readonly JoinedField[],
  caller: StatementCaller,
  parameters: Parameters,
  isNew: boolean,
): WrittenPairs {
  return new Map(
    fields.map((field) => {
      const { table } = field.join;
      const [own, other] = [quoteIdentifier(field.join.own), quoteIdentifier(field.join.other)];
      const pairs = (row: string): string => {
        const hidden = isNew ? null : hiddenPair(view, field, "_w", caller, parameters);
        const stays = `_w.${own} <> ${row}."id"`;
        return (
          `(select _w.${own}, _w.${other} from ${view.schema}.${quoteIdentifier(table)} _w ` +
          `where ${hidden === null ? stays : `(${stays} or ${hidden})`} ` +
          `union all select ${row}."id", _u from unnest(${parameters.ids(field)}) as _u)`
        );
      };
      return [table, pairs];
    }),
  );
}

/** The list before the write. */
export function pairsBefore(view: EntityView, field: JoinedField, row: string): string {
  const { table, own, other } = field.join;
  const member = `_j.${quoteIdentifier(other)}`;
  return (
    `(select coalesce(jsonb_agg(${member} order by ${member}), '[]'::jsonb) from ` +
    `${view.schema}.${quoteIdentifier(table)} _j where _j.${quoteIdentifier(own)} = ${row}."id")`
  );
}
