// Fills in the values that a step writes, in each field's JSON form. In: templates, their context, and the schema. Out:
// values: a whole number for a `bigint` as its digits, an exact one for a `percent` as a number, and without extra
// decimal places if they are zeros. It checks nothing.
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

/** @param plain An exact number without trailing zeros; null for any other value. */
function fitValue(value: JsonValue, { type, pattern }: FieldSchema, plain: (() => JsonValue) | null): JsonValue {
  const takes = (kind: string): boolean => (Array.isArray(type) ? type.includes(kind) : type === kind);
  const takesNumber = takes("number") || takes("integer");
  if (typeof value === "number") return takes("string") && !takesNumber ? String(value) : value;
  if (typeof value !== "string" || plain === null) return value;
  if (takesNumber && !takes("string")) return Number(value);
  return pattern === undefined || new RegExp(pattern, "u").test(value) ? value : plain();
}
