// Finds the meaning of a value beyond its type. In: a typed value. Out: the record that it is the id of, or the
// currency of an amount. Null if this is not known, as for a literal, which fits every meaning of its type.
import type { Checking } from "./checking.ts";
import type { FieldSchema } from "./schema.ts";
import type { Expression } from "./tree.ts";

export interface Meaning {
  readonly idOf: string | null;
  readonly currency: string | null;
}

const nothing: Meaning = { idOf: null, currency: null };

type Known = Pick<Checking, "scope" | "variables">;

export function meaningOf(expression: Expression, known: Known): Meaning {
  switch (expression.kind) {
    case "field": {
      const found = fieldAt(expression.row, expression.path, known);
      return found === null ? nothing : meaningOfField(found.field, found.name, found.record);
    }
    case "user": {
      if (expression.name === "id") return { ...nothing, idOf: "user" };
      const field = known.scope.schema.records.get("user")?.fields.get(expression.name);
      return field === undefined ? nothing : meaningOfField(field, expression.name, "user");
    }
    case "context":
      return expression.name === "current_org" ? { ...nothing, idOf: "organization" } : nothing;
    case "operation": {
      // A sum has the currency of its parts; a product, of its only amount; a quotient of two amounts has none.
      if (expression.type.kind !== "decimal") return nothing;
      const currencies = expression.args.map((one) => meaningOf(one, known).currency).filter((one) => one !== null);
      const [first = null, second] = currencies;
      const isRatio = (expression.operator === "/" || expression.operator === "*") && second !== undefined;
      return isRatio ? nothing : { ...nothing, currency: first };
    }
    case "each": {
      if (expression.value === undefined) return nothing;
      const variables = new Map(known.variables).set(expression.variable, expression.entity);
      return { ...nothing, currency: meaningOf(expression.value, { ...known, variables }).currency };
    }
    default:
      return nothing;
  }
}

function meaningOfField(field: FieldSchema, name: string, record: string): Meaning {
  return { idOf: name === "id" ? record : field.refersTo, currency: field.currency ?? null };
}

function fieldAt(
  row: string,
  path: readonly string[],
  { scope, variables }: Known,
): { readonly field: FieldSchema; readonly name: string; readonly record: string } | null {
  let record = scope.schema.records.get(variables.get(row) ?? scope.record);
  for (const [index, name] of path.entries()) {
    const field = record?.fields.get(name);
    if (record === undefined || field === undefined) return null;
    if (index === path.length - 1) return { field, name, record: record.name };
    record = scope.schema.records.get(field.refersTo ?? "");
  }
  return null;
}
