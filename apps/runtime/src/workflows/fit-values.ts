// Fills what a step writes, in the form in which each field stands in JSON. In: templates, what they see, and the schema that they are
// for. Out: values: a whole number for a `bigint` as its digits, an exact one for a `percent` as a number, and none with more
// decimal places than its field has where they are zeros. Nothing is checked here.
import type { JsonValue, Template } from "@plinth/bundle";
import { type EvaluationContext, evaluateValue } from "@plinth/expression";
import { fillTemplate } from "./template.ts";

interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly pattern?: string;
}

export function fitMembers(
  members: Readonly<Record<string, Template>>,
  context: EvaluationContext,
  schema: unknown,
): Readonly<Record<string, JsonValue>> {
  const { properties = {} } = (schema ?? {}) as { readonly properties?: Readonly<Record<string, FieldSchema>> };
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const value = fillTemplate(member, context);
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property === undefined || member.kind !== "value") return [name, value];
      const { expression } = member;
      const isExact = expression.type.kind === "decimal";
      return [name, fitValue(value, property, isExact ? () => evaluateValue(expression, context) : null)];
    }),
  );
}

/** @param plain An exact number without zeros behind its last decimal place; null for any other value. */
function fitValue(value: JsonValue, { type, pattern }: FieldSchema, plain: (() => JsonValue) | null): JsonValue {
  const takes = (kind: string): boolean => (Array.isArray(type) ? type.includes(kind) : type === kind);
  const takesNumber = takes("number") || takes("integer");
  if (typeof value === "number") return takes("string") && !takesNumber ? String(value) : value;
  if (typeof value !== "string" || plain === null) return value;
  if (takesNumber && !takes("string")) return Number(value);
  return pattern === undefined || new RegExp(pattern, "u").test(value) ? value : plain();
}
