// Lowers permissions to grants. In: an entity's checked permissions. Out: operation > role > predicate, fields, forced
// values. A predicate is never unknown: unknown denies. It never contains the rule's text.
import type { Entity, Permission } from "@plinth/blueprint";
import { ALWAYS, type BundleEntity, type Grant, NEVER, type Predicate } from "@plinth/bundle";
import type { Expression } from "@plinth/expression";
import { type Catalog, entityOf, MEMBERSHIPS_TABLE, ORGANIZATIONS_TABLE } from "../sql/catalog.ts";
import { sqlTypeOf } from "../sql/column-type.ts";
import { quoteIdentifier } from "../sql/sql-text.ts";
import { Looks } from "./looks.ts";
import { holds, lower } from "./lower.ts";
import type { LowerScope } from "./lower-scope.ts";
import { keptValue } from "./stored-value.ts";

/** Each role's own grants. The runtime knows which roles include others. */
export function accessOf(entity: Entity, catalog: Catalog): BundleEntity["access"] {
  const access: Record<string, Record<string, Grant>> = {};
  for (const permission of entity.permissions) {
    if (isConstant(permission.rule, false)) continue;
    const { operation, role } = permission;
    access[operation] ??= {};
    access[operation][role] = grantOf(permission, entity.name, catalog);
  }
  return access;
}

function grantOf({ rule, fields, set, limit }: Permission, entity: string, catalog: Catalog): Grant {
  const types = entityOf(catalog, entity).fields;
  const forced = set.map(({ field, value }) => {
    const type = types.get(field);
    if (type === undefined) throw new Error(`${entity} has no field ${field}`);
    return [field, `(${keptValue(lower(value, { entity, catalog }), value)})::${sqlTypeOf(type)}`] as const;
  });
  return { rule: predicateOf(rule, entity, catalog), fields, set: Object.fromEntries(forced), limit };
}

export function predicateOf(rule: Expression, entity: string, catalog: Catalog): Predicate {
  if (rule.kind === "literal") return rule.value === true ? ALWAYS : NEVER;
  const looks = new Looks();
  const sql = holds(rule, { entity, catalog, looks });
  return { kind: "sql", sql, looks: looks.all() };
}

/** A check over the columns of one row, in the form of a constraint: null passes. */
export function lowerCheck(condition: Expression, entity: string, catalog: Catalog): string {
  const column = (_: string, name: string): string => quoteIdentifier(name);
  const scope: LowerScope = { entity, catalog, column, isConstraint: true };
  return lower(condition, scope);
}

/**
 * The organizations whose rows a caller can access: those of the signed-in user, or all for an admin who is not a user
 * (a key, an operator). The list is computed once for the statement, so that an index finds the rows.
 */
export function scopeOf(orgField: string): Predicate {
  const own = `select _member."organization_id" from {schema}.${quoteIdentifier(MEMBERSHIPS_TABLE)} _member where _member."user_id" = {user.id}::uuid`;
  const all = `select _organization."id" from {schema}.${quoteIdentifier(ORGANIZATIONS_TABLE)} _organization where {user.id}::uuid is null and 'admin' = any({user.roles}::text[])`;
  const sql = `({record}.${quoteIdentifier(orgField)} = any(array(${own} union all ${all})) and {record}.${quoteIdentifier(orgField)} is not null)`;
  const looks = new Looks();
  looks.some(ORGANIZATIONS_TABLE);
  looks.some(MEMBERSHIPS_TABLE);
  for (const column of ["user_id", "organization_id"]) looks.column(MEMBERSHIPS_TABLE, column);
  return { kind: "sql", sql, looks: looks.all() };
}

/** A grant without limits on fields or values. */
export function grant(rule: Predicate): Grant {
  return { rule, fields: null, set: {}, limit: null };
}

export function isConstant(expression: Expression, value: boolean): boolean {
  return expression.kind === "literal" && expression.value === value;
}
