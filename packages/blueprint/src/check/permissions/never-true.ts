// Finds rules that are never true. In: a checked rule. Out: whether it clearly can't be true. It finds common mistakes
// (`a && !a`, one field that equals two values), without a full proof.
import type { Expression } from "@plinth/expression";

export function neverTrue(expression: Expression): boolean {
  if (expression.kind === "literal") return expression.value !== true;
  if (expression.kind !== "operation") return false;
  switch (expression.operator) {
    case "||":
      return expression.args.every(neverTrue);
    case "&&":
      return expression.args.some(neverTrue) || contradict(expression.args);
    case "!":
      return expression.args.every((one) => one.kind === "literal" && one.value === true);
    default:
      return false;
  }
}

/**
 * Two conditions that contradict each other: a condition and its negation, or one side that equals two different
 * literals.
 */
function contradict(conditions: readonly Expression[]): boolean {
  if (conditions.length < 2) return false;
  const required = new Set(conditions.map(keyOf));
  const values = new Map<string, string>();
  for (const condition of conditions) {
    if (condition.kind !== "operation") continue;
    const [left, right] = condition.args;
    if (condition.operator === "!" && left !== undefined && required.has(keyOf(left))) return true;
    if (condition.operator !== "==" || left === undefined || right === undefined) continue;
    const [subject, literal] = left.kind === "literal" ? [right, left] : [left, right];
    if (literal.kind !== "literal" || subject.kind === "literal") continue;
    const key = keyOf(subject);
    const before = values.get(key);
    if (before !== undefined && before !== keyOf(literal)) return true;
    values.set(key, keyOf(literal));
  }
  return false;
}

function keyOf(expression: Expression): string {
  return expression.kind === "literal" ? JSON.stringify(expression.value) : JSON.stringify(expression);
}
