// Lowers a field at the end of a path of references. In: the row, the path, and the function that lowers expressions.
// Out: SQL of its value.
import { targetOf } from "@plinth/blueprint";
import type { Expression } from "@plinth/expression";
import { type CatalogEntity, entityOf } from "../sql/catalog.ts";
import { andLiving } from "../sql/relation-sql.ts";
import { quoteIdentifier as q } from "../sql/sql-text.ts";
import type { LowerScope, Variable } from "./lower-scope.ts";

type Lower = (expression: Expression, scope: LowerScope) => string;

/** `["listing_id", "created_by"]`: each name except the last is a reference, which becomes a scalar sub-select. */
export function columnAt(
  row: string,
  path: readonly string[],
  scope: LowerScope,
  lower: Lower,
): { entity: CatalogEntity; sql: string } {
  const variable = scope.variables?.get(row);
  let entity = entityOf(scope.catalog, variable?.entity ?? scope.entity);
  let sql = "";
  for (const [hop, name] of path.entries()) {
    if (hop === 0) sql = ownColumn(row, name, { entity, variable, scope, lower });
    else {
      const target = targetOfField(entity, path[hop - 1]!);
      entity = entityOf(scope.catalog, target);
      const alias = `_hop${hop}`;
      scope.looks?.one(entity.table);
      noteLiving(entity, scope);
      sql = `(select ${columnOf(alias, name, entity, scope, lower)} from {schema}.${q(entity.table)} ${alias} where ${alias}."id" = ${sql}${andLiving(entity, alias)})`;
    }
  }
  return { entity, sql };
}

function targetOfField(entity: CatalogEntity, name: string): string {
  const type = entity.fields.get(name);
  if (type === undefined) throw new Error(`${entity.name} has no field ${name}`);
  const target = targetOf(type);
  if (target === null) throw new Error(`${entity.name}.${name} refers to no record`);
  return target;
}

interface Owner {
  readonly entity: CatalogEntity;
  readonly variable: Variable | undefined;
  readonly scope: LowerScope;
  readonly lower: Lower;
}

function ownColumn(row: string, name: string, { entity, variable, scope, lower }: Owner): string {
  if (variable !== undefined) return columnOf(variable.alias, name, entity, scope, lower);
  if (row === "input") return `{input.${name}}`;
  const write = scope.column;
  return write === undefined
    ? columnOf(`{${row}}`, name, entity, scope, lower)
    : plainOrComputed(name, { entity, scope, lower }, (column) => write(row, column));
}

function columnOf(alias: string, name: string, entity: CatalogEntity, scope: LowerScope, lower: Lower): string {
  const isJudged = alias.startsWith("{");
  return plainOrComputed(name, { entity, scope, lower }, (column) => {
    if (!isJudged) scope.looks?.column(entity.table, column);
    return `${alias}.${q(column)}`;
  });
}

export function noteLiving({ table, softDelete }: CatalogEntity, { looks }: LowerScope): void {
  if (softDelete !== null) looks?.column(table, softDelete);
}

/** A computed field has no column, so its expression replaces it. */
function plainOrComputed(
  name: string,
  { entity, scope, lower }: Omit<Owner, "variable">,
  write: (column: string) => string,
): string {
  const type = entity.fields.get(name);
  if (type?.kind !== "computed") return write(name);
  const { variables: _, ...own } = scope;
  return lower(type.expression, { ...own, entity: entity.name, column: (_, column) => write(column) });
}
