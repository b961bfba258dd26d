// References in writes. In: a field that refers to records. Out: SQL that tells whether they may be read, and what puts
// many-to-many pairs in place. A missing and a hidden record have one answer.
import type { BundleField } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import {
  type Asker,
  column,
  type EntityView,
  living,
  permission,
  sameOrganization,
  type WrittenPairs,
} from "./entity-view.ts";
import type { Parameters } from "./parameters.ts";

export type JoinedField = BundleField & { readonly join: NonNullable<BundleField["join"]> };

/** The many-to-many fields of these names. */
export function joinedFields(view: EntityView, names: Iterable<string>): readonly JoinedField[] {
  const given = new Set(names);
  return view.entity.fields.filter((field): field is JoinedField => field.join !== null && given.has(field.name));
}

/** Whether the record that the new row refers to is there for the caller. */
export function targetReadable(view: EntityView, field: BundleField, asker: Asker, parameters: Parameters): string {
  const target = targetOf(view, field);
  const readable = permission(target, "read", asker, parameters, { record: "_ref" }).sql;
  const value = column("_new", field);
  const found = `${target.from} _ref where _ref."id" = ${value} and ${readable}${within(view, target)}${living(target, "_ref")}`;
  return `exists (select 1 from ${found}${heldAgainstMarks(target)})`;
}

/** Whether all records of the sent list are. */
export function targetsReadable(view: EntityView, field: JoinedField, asker: Asker, parameters: Parameters): string {
  const target = targetOf(view, field);
  const readable = permission(target, "read", asker, parameters, { record: "_ref" }).sql;
  const ids = parameters.ids(field);
  const found = `${target.from} _ref where _ref."id" = any(${ids}) and ${readable}${within(view, target)}${living(target, "_ref")}`;
  const held = heldAgainstMarks(target);
  const rows = held === "" ? found : `(select 1 from ${found}${held}) as _held`;
  return `((select count(*) from ${rows}) = cardinality(${ids}))`;
}

/** The same of a reference that a grant sets, which nobody has to be able to read; null where it can't lead elsewhere. */
export function targetWithin(view: EntityView, field: BundleField): string | null {
  const target = targetOf(view, field);
  const same = sameOrganization(view, "_new", target, "_ref");
  if (same === null) return null;
  const value = column("_new", field);
  return `(${value} is null or exists (select 1 from ${target.from} _ref where _ref."id" = ${value} and ${same}))`;
}

/** Records of one organization refer to each other alone, whoever writes them. */
function within(view: EntityView, target: EntityView): string {
  const same = sameOrganization(view, "_new", target, "_ref");
  return same === null ? "" : ` and ${same}`;
}

/** A foreign key can't see that a record is being marked as deleted: the check waits for that, and looks again. */
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

/** The CTE that takes away the pairs that the sent list doesn't hold. */
export function pairsDelete(view: EntityView, field: JoinedField, row: string, parameters: Parameters): string {
  const { table, own, other } = field.join;
  return (
    `delete from ${view.schema}.${quoteIdentifier(table)} _j using ${row} where _j.${quoteIdentifier(own)} = ${row}."id" ` +
    `and _j.${quoteIdentifier(other)} <> all (${parameters.ids(field)})`
  );
}

/** The sent list as it will be read: the statement can't see the pairs that it writes itself. */
export function sentPairs(field: JoinedField, parameters: Parameters): string {
  return `(select coalesce(json_agg(_u order by _u), '[]'::json) from unnest(${parameters.ids(field)}) as _u)`;
}

/** All pairs as they will be once a row of this entity has those of the sent lists. */
export function writtenPairs(view: EntityView, fields: readonly JoinedField[], parameters: Parameters): WrittenPairs {
  return new Map(
    fields.map((field) => {
      const { table } = field.join;
      const [own, other] = [quoteIdentifier(field.join.own), quoteIdentifier(field.join.other)];
      const ids = (): string => parameters.ids(field);
      const pairs = (row: string): string =>
        `(select _w.${own}, _w.${other} from ${view.schema}.${quoteIdentifier(table)} _w where _w.${own} <> ${row}."id" ` +
        `union all select ${row}."id", _u from unnest(${ids()}) as _u)`;
      return [table, pairs];
    }),
  );
}

/** The list as it was. */
export function pairsBefore(view: EntityView, field: JoinedField, row: string): string {
  const { table, own, other } = field.join;
  const member = `_j.${quoteIdentifier(other)}`;
  return (
    `(select coalesce(jsonb_agg(${member} order by ${member}), '[]'::jsonb) from ` +
    `${view.schema}.${quoteIdentifier(table)} _j where _j.${quoteIdentifier(own)} = ${row}."id")`
  );
}
