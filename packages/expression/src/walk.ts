// Walks over a typed tree. In: a tree. Out: its parts, or a changed copy in the same normal form. It never changes a
// node; it reports each replaced node, so that positions can be kept.
import type { Expression } from "./tree.ts";

/** The expressions right below a node. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "list":
      return expression.items;
    case "operation":
      return expression.args;
    case "each":
      return expression.value === undefined ? [expression.condition] : [expression.condition, expression.value];
    case "member":
      return [expression.organization];
    case "literal":
    case "field":
    case "sent":
    case "value":
    case "user":
    case "context":
      return [];
  }
}

/** Whether the predicate is true for any node of the tree. */
export function someNode(expression: Expression, is: (node: Expression) => boolean): boolean {
  return is(expression) || partsOf(expression).some((part) => someNode(part, is));
}

export function countNodes(expression: Expression): number {
  return partsOf(expression).reduce((sum, part) => sum + countNodes(part), 1);
}

/** Whether an expression depends on the signed-in user. */
export function mentionsUser(expression: Expression): boolean {
  return someNode(expression, ({ kind }) => kind === "user" || kind === "member");
}

/** The node with other parts, in the same number as `partsOf` returned. */
export function withParts(expression: Expression, parts: readonly Expression[]): Expression {
  switch (expression.kind) {
    case "list":
      return { ...expression, items: parts };
    case "operation": {
      const { operator } = expression;
      return operator === "&&" || operator === "||" ? joined(operator, parts) : { ...expression, args: parts };
    }
    case "each": {
      const [condition = expression.condition, value] = parts;
      return value === undefined ? { ...expression, condition } : { ...expression, condition, value };
    }
    case "member":
      return { ...expression, organization: first(parts) };
    case "literal":
    case "field":
    case "sent":
    case "value":
    case "user":
    case "context":
      return expression;
  }
}

/**
 * `(a && b) && c` is the same as `a && b && c`, also for unknown values: both are one tree. A single operand needs no
 * node.
 */
export function joined(operator: "&&" | "||", args: readonly Expression[]): Expression {
  if (args.length === 1) return first(args);
  const flat = args.flatMap((one) => (one.kind === "operation" && one.operator === operator ? one.args : [one]));
  return { kind: "operation", type: { kind: "bool" }, operator, args: flat };
}

export function negated(expression: Expression): Expression {
  return { kind: "operation", type: { kind: "bool" }, operator: "!", args: [expression] };
}

export function truth(value: boolean): Expression {
  return { kind: "literal", type: { kind: "bool" }, value };
}

export function isConstant(expression: Expression, value: boolean): boolean {
  return expression.kind === "literal" && expression.value === value;
}

/** Called with each node that replaces another one. */
export type Moved = (from: Expression, to: Expression) => void;

/** A copy in which `change` has replaced every node, its parts first. */
export function rewrite(expression: Expression, change: (node: Expression) => Expression, moved?: Moved): Expression {
  const parts = partsOf(expression);
  const rewritten = parts.map((part) => rewrite(part, change, moved));
  const copy = parts.length === 0 ? { ...expression } : withParts(expression, rewritten);
  const result = change(copy);
  moved?.(expression, result);
  return result;
}

function first(parts: readonly Expression[]): Expression {
  const [part] = parts;
  if (part === undefined) throw new Error("a node lacks a part");
  return part;
}
