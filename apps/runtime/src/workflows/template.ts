// Fills a template. In: JSON with expressions in it, and what they see. Out: JSON. What an expression gives is never read as
// an expression again.
import type { JsonValue, Template } from "@plinth/bundle";
import { type EvaluationContext, type Expression, evaluateValue } from "@plinth/expression";

export function fillTemplate(template: Template, context: EvaluationContext): JsonValue {
  switch (template.kind) {
    case "literal":
      return template.value;
    case "value":
      return evaluateValue(template.expression, context);
    case "text":
      return template.parts.map((part) => (typeof part === "string" ? part : textOf(part, context))).join("");
    case "list":
      return template.items.map((item) => fillTemplate(item, context));
    case "object":
      return fillMembers(template.members, context);
  }
}

export function fillMembers(
  members: Readonly<Record<string, Template>>,
  context: EvaluationContext,
): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, fillTemplate(member, context)]));
}

/** Nothing for null: a text with a gap reads better than one with "null" in it. */
function textOf(expression: Expression, context: EvaluationContext): string {
  const value = evaluateValue(expression, context);
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
