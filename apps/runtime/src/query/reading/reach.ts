// Follows a relation from a row to the records at its end, as far as the caller can read them. In: a row and a
// relation. Out: a FROM list and conditions. It never reveals a reference in a field that the caller can't read.
import type { BundleField, BundleRelation } from "@plinth/bundle";
import { quoteIdentifier } from "@plinth/postgres";
import { column, type EntityView, living, oneHolds, permission, type StatementCaller } from "../entity-view.ts";
import type { Parameters } from "../parameters.ts";
import { readableFields } from "../readable-fields.ts";

export interface Reached {
  readonly view: EntityView;
  /** It contains the records under their alias. */
  readonly from: string;
  readonly conditions: readonly string[];
}

/** Whether a relation leads to many records. */
export function isToMany({ by }: BundleRelation): boolean {
  return by.kind !== "reference";
}

/** @throws Error (our bug) if the release has no such entity. */
export function targetOf(view: EntityView, { entity }: BundleRelation): EntityView {
  const target = view.all.get(entity);
  if (target === undefined) throw new Error(`${view.entity.name} refers to ${entity}, which does not exist`);
  return target;
}

/** The field of the relation, and the entity that has it. */
export function linkOf(view: EntityView, relation: BundleRelation): { owner: EntityView; field: BundleField } {
  const { kind, field: name } = relation.by;
  const owner = kind === "reference" || kind === "refs" ? view : targetOf(view, relation);
  const field = owner.fields.get(name);
  if (field === undefined) throw new Error(`${owner.entity.name} has no field ${name}`);
  return { owner, field };
}

/** @param alias A name for the records that nothing else in the statement has. */
export function reach(
  view: EntityView,
  caller: StatementCaller,
  relation: BundleRelation,
  row: string,
  alias: string,
  parameters: Parameters,
): Reached {
  const target = targetOf(view, relation);
  const { owner, field } = linkOf(view, relation);
  const { from, where } = tied(target, relation, field, row, alias);
  const holder = owner === view && relation.by.kind !== "referrer" && relation.by.kind !== "refs_inverse" ? row : alias;
  const seen = permission(target, "read", caller, parameters, { record: alias });
  const conditions = [
    where,
    ...shownIn(owner, caller, field, holder, parameters),
    ...(seen.kind === "always" ? [] : [seen.sql]),
  ];
  const present = living(target, alias).slice(" and ".length);
  return { view: target, from, conditions: present === "" ? conditions : [...conditions, present] };
}

/** The condition under which a record shows the field; none if every record does. */
export function shownIn(
  view: EntityView,
  caller: StatementCaller,
  field: BundleField,
  row: string,
  parameters: Parameters,
): readonly string[] {
  const readable = readableFields(view, caller.roles).find((each) => each.field.name === field.name);
  if (readable === undefined) return ["false"];
  return readable.rules === null ? [] : [oneHolds(view, readable.rules, parameters, { record: row }).sql];
}

function tied(
  target: EntityView,
  { by }: BundleRelation,
  field: BundleField,
  row: string,
  alias: string,
): { readonly from: string; readonly where: string } {
  const from = `${target.from} ${alias}`;
  switch (by.kind) {
    case "reference":
      return { from, where: `${alias}."id" = ${column(row, field)}` };
    case "referrer":
      return { from, where: `${column(alias, field)} = ${row}."id"` };
    case "refs":
    case "refs_inverse": {
      const { join } = field;
      if (join === null) throw new Error(`${field.name} has no pairs`);
      const [here, there] = by.kind === "refs" ? [join.own, join.other] : [join.other, join.own];
      const pairs = `${target.schema}.${quoteIdentifier(join.table)} ${alias}_pair`;
      return {
        from: `${pairs} join ${from} on ${alias}."id" = ${alias}_pair.${quoteIdentifier(there)}`,
        where: `${alias}_pair.${quoteIdentifier(here)} = ${row}."id"`,
      };
    }
  }
}
