// The value of an expression as part of a text.
import { type EvaluationContext, type Expression, evaluateValue, namedValue } from "@plinth/expression";

/** Null becomes an empty text, which reads better than "null". An amount keeps its decimal places. */
export function textOf(expression: Expression, context: EvaluationContext): string {
  const named = expression.type.kind === "decimal" ? namedValue(expression, context) : undefined;
  const value = named ?? evaluateValue(expression, context);
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
