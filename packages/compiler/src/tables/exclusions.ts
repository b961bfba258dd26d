// Collects exclusions. In: an entity. Out: its exclusions as data, the checks that keep their ranges in order, and the
// message for a violation.
import { createHash } from "node:crypto";
import type { Exclusion as DeclaredExclusion, Entity } from "@plinth/blueprint";
import type { BundleEntity, Check, Exclusion } from "@plinth/bundle";
import { lowerCheck } from "../rules/access.ts";
import { type Catalog, DELETED_AT } from "../sql/catalog.ts";
import { sqlTypeOf } from "../sql/column-type.ts";
import { constraintName, quoteIdentifier as q } from "../sql/sql-text.ts";

const rangeTypes: Readonly<Record<string, string>> = {
  date: "daterange",
  timestamptz: "tstzrange",
  integer: "int4range",
  bigint: "int8range",
  numeric: "numrange",
};

/** A deleted row blocks nothing. */
export function exclusionsOf(entity: Entity, catalog: Catalog): readonly Exclusion[] {
  return (entity.exclusions ?? []).map((declared) => {
    const { name, same, from, to, where } = declared;
    const conditions = [
      ...(entity.softDelete ? [`${q(DELETED_AT)} is null`] : []),
      ...(where === null ? [] : [`(${lowerCheck(where, entity.name, catalog)})`]),
    ];
    const over = {
      same,
      rangeType: rangeTypeOf(entity, declared),
      from,
      to,
      where: conditions.length === 0 ? null : conditions.join(" and "),
    };
    return { name: exclusionName(entity, name), guard: guardOf(over), ...over };
  });
}

/** Another definition has another guard: rows that passed the old one may violate the new one. */
function guardOf(over: Omit<Exclusion, "name" | "guard">): string {
  return `_guard_${createHash("sha256").update(JSON.stringify(over)).digest("hex").slice(0, 12)}`;
}

function rangeTypeOf(entity: Entity, { from }: DeclaredExclusion): string {
  const field = entity.fields.find((one) => one.name === from);
  const sqlType = field === undefined ? "" : sqlTypeOf(field.type).replace(/\(.*\)/, "");
  const rangeType = rangeTypes[sqlType];
  if (rangeType === undefined) throw new Error(`no span starts at ${entity.name}.${from}`);
  return rangeType;
}

function exclusionName({ plural }: Entity, name: string): string {
  return constraintName(plural, [name], "excl");
}

function orderName({ plural }: Entity, name: string): string {
  return constraintName(plural, [name], "order");
}

/** A range that ends before it starts is not valid. */
export function orderChecksOf(entity: Entity): readonly Check[] {
  return (entity.exclusions ?? []).map(({ name, from, to }) => ({
    name: orderName(entity, name),
    columns: [from, to],
    rule: { kind: "sql", sql: `${q(from)} <= ${q(to)}` },
  }));
}

export function orderMessagesOf(entity: Entity): BundleEntity["checks"] {
  return (entity.exclusions ?? []).map(({ name, from, to }) => ({
    name: orderName(entity, name),
    message: `\`${to}\` must not be before \`${from}\`.`,
  }));
}

export function exclusionMessagesOf(entity: Entity): Pick<BundleEntity, "exclusions"> {
  if (entity.exclusions === undefined) return {};
  const exclusions = entity.exclusions.map(({ name, same, from, to }) => ({
    name: exclusionName(entity, name),
    message: `Another record with the same ${same.join(" and ")} overlaps from ${from} to ${to} (${name}).`,
    fields: [...same, from, to],
  }));
  return { exclusions };
}
