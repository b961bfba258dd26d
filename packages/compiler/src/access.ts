// Turns permissions into predicates. In: an entity's checked rules. Out: operation > role > boolean SQL template.
// No predicate is ever null: what is unknown denies. The rule's text is in none of them.
import type { Entity } from "@plinth/blueprint";
import type { BundleEntity, Operation, SqlTemplate } from "@plinth/bundle";
import type { Expression, Operator, Type } from "@plinth/expression";
import { type Catalog, entityOf, referenceOf } from "./catalog.ts";
import { quoteIdentifier, quoteNumber, quoteText } from "./sql-text.ts";

const operations: readonly Operation[] = ["read", "create", "update", "delete"];

/** Each role's own rules; that a holder of a role also holds those it inherits, the runtime knows. */
export function accessOf(entity: Entity, catalog: Catalog): BundleEntity["access"] {
  const rules = (operation: Operation): Record<string, SqlTemplate> =>
    Object.fromEntries(
      entity.permissions
        .filter((permission) => permission.operation === operation && !isConstant(permission.rule, false))
        .map((permission) => [permission.role, lowerRule(permission.rule, entity.name, catalog)]),
    );
  return Object.fromEntries(operations.map((operation) => [operation, rules(operation)])) as BundleEntity["access"];
}

/** A whole rule as a predicate that is true or false. */
export function lowerRule(rule: Expression, entity: string, catalog: Catalog): SqlTemplate {
  if (isConstant(rule, true)) return "true";
  if (isConstant(rule, false)) return "false";
  const sql = lower(rule, { entity, catalog });
  // Postgres can't use an index through coalesce(), but it can through an AND; and `null and false` is false.
  // A sub-select has no index to lose, and is too dear to stand twice.
  return sql.includes("(select ") ? `coalesce(${sql}, false)` : `(${sql} and ${sql} is not null)`;
}

interface Scope {
  readonly entity: string;
  readonly catalog: Catalog;
}

function lower(expression: Expression, scope: Scope): string {
  switch (expression.kind) {
    case "literal":
      return lowerLiteral(expression.value, expression.type);
    case "list":
      return `array[${expression.items.map((item) => lower(item, scope)).join(", ")}]`;
    case "field":
      return lowerPath(expression.row, expression.path, scope);
    case "user":
      return userHoles[expression.name];
    case "operation":
      return lowerOperation(expression.operator, expression.args, scope);
  }
}

const userHoles = { id: "{user.id}::uuid", email: "{user.email}::text", roles: "{user.roles}::text[]" } as const;

function lowerLiteral(value: string | number | boolean | null, type: Type): string {
  if (value === null) return "null";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return quoteNumber(value);
  if (type.kind === "uuid") return `${quoteText(value)}::uuid`;
  if (type.kind === "datetime") return `${quoteText(value)}::timestamptz`;
  return quoteText(value);
}

/** `["listing_id", "created_by"]`: each name but the last is a reference, followed by a scalar sub-select. */
function lowerPath(row: string, path: readonly string[], scope: Scope): string {
  let entity = entityOf(scope.catalog, scope.entity);
  let sql = "";
  path.forEach((name, hop) => {
    const column = quoteIdentifier(name);
    if (hop === 0) {
      sql = `{${row}}.${column}`;
    } else {
      const from = `{schema}.${quoteIdentifier(entity.table)} hop${hop}`;
      sql = `(select hop${hop}.${column} from ${from} where hop${hop}."id" = ${sql})`;
    }
    const type = entity.fields.get(name);
    if (type === undefined) throw new Error(`${entity.name} has no field ${name}`);
    if (hop === path.length - 1) return;
    const target = referenceOf(type);
    if (target === null) throw new Error(`${entity.name}.${name} refers to no record`);
    entity = entityOf(scope.catalog, target);
  });
  if (sql === "") throw new Error("a field without a path");
  return sql;
}

function lowerOperation(operator: Operator, args: readonly Expression[], scope: Scope): string {
  switch (operator) {
    case "!":
      return `(not ${lower(argument(args, 0), scope)})`;
    case "&&":
    case "||":
      return `(${args.map((arg) => lower(arg, scope)).join(operator === "&&" ? " and " : " or ")})`;
    case "in":
      return lowerMembership(argument(args, 0), argument(args, 1), scope);
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return lowerComparison(operator, argument(args, 0), argument(args, 1), scope);
  }
}

type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

const comparisons: Readonly<Record<Comparison, string>> = {
  "==": "=",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

function lowerComparison(operator: Comparison, left: Expression, right: Expression, scope: Scope): string {
  const nullTest = operator === "==" ? "is null" : operator === "!=" ? "is not null" : null;
  if (nullTest !== null && isConstant(right, null)) return `(${lower(left, scope)} ${nullTest})`;
  if (nullTest !== null && isConstant(left, null)) return `(${lower(right, scope)} ${nullTest})`;
  return `(${collated(left, scope)} ${comparisons[operator]} ${lower(right, scope)})`;
}

function lowerMembership(value: Expression, list: Expression, scope: Scope): string {
  if (list.kind !== "list") return `(${collated(value, scope)} = any(${lower(list, scope)}))`;
  if (list.items.length === 0) return "false";
  return `(${collated(value, scope)} in (${list.items.map((item) => lower(item, scope)).join(", ")}))`;
}

/** Texts compare by code point, whatever the database's own order is. */
function collated(expression: Expression, scope: Scope): string {
  const sql = lower(expression, scope);
  const isText = expression.type.kind === "text" || expression.type.kind === "enum";
  return isText ? `${sql} collate "C"` : sql;
}

function isConstant(expression: Expression, value: boolean | null): boolean {
  return expression.kind === "literal" && expression.value === value;
}

function argument(args: readonly Expression[], index: number): Expression {
  const arg = args[index];
  if (arg === undefined) throw new Error(`an operator lacks its argument ${index + 1}`);
  return arg;
}
