// Finds which records can exist. In: an entity and the rules that are compared on it. Out: what its limits and checks
// demand of the fields in those rules, as one more condition; null if they demand nothing.
import { type Expression, joined, partsOf, rewrite, type Type } from "@plinth/expression";
import type { Entity, Field } from "../model/model.ts";
import { typeInRules } from "../rules/expression-schema.ts";

const bool = { kind: "bool" } as const;
const rowNames: readonly string[] = ["record", "old", "new"];

/** True for every record that can exist. If a demand can't be expressed, the condition demands less. */
export function allowedBy(entity: Entity, rules: readonly Expression[]): Expression | null {
  const reads = new Map(rules.flatMap(ownFields).map((one) => [`${one.row}.${one.path[0]}`, one]));
  const fields = new Map(entity.fields.map((field) => [field.name, field]));
  const demands: Expression[] = [];
  for (const read of reads.values()) {
    const field = fields.get(read.path[0] ?? "");
    if (field !== undefined) demands.push(...limitsOn(field, read));
  }
  for (const row of new Set([...reads.values()].map((one) => one.row)))
    for (const { condition } of entity.checks) {
      const names = ownFields(condition).map(({ path }) => path[0] ?? "");
      if (isPlain(condition) && names.some((name) => reads.has(`${row}.${name}`)))
        demands.push(holdsOn(row, condition, fields));
    }
  return demands.length === 0 ? null : joined("&&", demands);
}

type FieldRead = Extract<Expression, { kind: "field" }>;

function ownFields(rule: Expression): readonly FieldRead[] {
  if (rule.kind === "field") return rule.path.length === 1 && rowNames.includes(rule.row) ? [rule] : [];
  return partsOf(rule).flatMap(ownFields);
}

function limitsOn(field: Field, read: FieldRead): readonly Expression[] {
  const { min, max, pattern } = field.limits;
  const type = typeInRules(field.type);
  const isText = type.kind === "text" || type.kind === "list";
  const measured: Expression = isText
    ? { kind: "operation", type: { kind: "int" }, operator: "size", args: [read] }
    : read;
  const bound = (value: string | null): Expression | null =>
    value === null ? null : literalOf(isText ? { kind: "int" } : type, value);
  const [least, most] =
    field.type.kind === "percent" ? [bound(min ?? "0"), bound(max ?? "100")] : [bound(min), bound(max)];
  const demands = [
    ...(least === null ? [] : [operation(">=", measured, least)]),
    ...(most === null ? [] : [operation("<=", measured, most)]),
    ...(pattern === null || type.kind !== "text"
      ? []
      : [operation("matches", read, { kind: "literal", type: { kind: "text" }, value: pattern })]),
  ];
  return demands.length === 0 ? [] : [orEmpty(joined("&&", demands), field.optional ? [read] : [])];
}

function literalOf(type: Type, value: string): Expression | null {
  switch (type.kind) {
    case "int":
      return { kind: "literal", type, value: Number.isSafeInteger(Number(value)) ? Number(value) : value };
    case "float":
      return { kind: "literal", type, value: Number(value) };
    case "decimal":
    case "date":
    case "time":
    case "datetime":
    case "duration":
      return { kind: "literal", type, value };
    default:
      return null;
  }
}

function operation(operator: ">=" | "<=" | "==" | "matches", left: Expression, right: Expression): Expression {
  return { kind: "operation", type: bool, operator, args: [left, right] };
}

/** The database accepts a record for which a check is unknown. */
function orEmpty(condition: Expression, optional: readonly Expression[]): Expression {
  const empty = optional.map((one) => operation("==", one, { kind: "literal", type: { kind: "null" }, value: null }));
  return joined("||", [condition, ...empty]);
}

const plain: readonly string[] = ["&&", "||", "!", "==", "!=", "<", "<=", ">", ">=", "in", "size"];

/** It is unknown only if one of its fields is empty: no arithmetic, and only the record itself. */
function isPlain(condition: Expression): boolean {
  switch (condition.kind) {
    case "literal":
      return true;
    case "field":
      return condition.row === "record" && condition.path.length === 1;
    case "operation":
      return plain.includes(condition.operator) && condition.args.every(isPlain);
    default:
      return false;
  }
}

function holdsOn(row: string, condition: Expression, fields: ReadonlyMap<string, Field>): Expression {
  const moved = rewrite(condition, (node) => (node.kind === "field" ? { ...node, row } : node));
  const optional = ownFields(moved).filter(({ path }) => fields.get(path[0] ?? "")?.optional !== false);
  return orEmpty(moved, optional);
}
