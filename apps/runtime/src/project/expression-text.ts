// What an expression gives, within a text.
import { type EvaluationContext, type Expression, evaluateValue, namedValue } from "@plinth/expression";

/** Nothing for null: a text with a gap reads better than one with "null" in it. An amount keeps its decimal places. */
export function textOf(expression: Expression, context: EvaluationContext): string {
  const named = expression.type.kind === "decimal" ? namedValue(expression, context) : undefined;
  const value = named ?? evaluateValue(expression, context);
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
