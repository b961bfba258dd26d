// Prints background work. In: a declaration with typed trees. Out: a form for people: expressions as CEL, templates as
// `${{ }}`, fields in their short notation. It is never parsed again.
import { type Expression, printExpression, rewrite } from "@plinth/expression";
import type { Field } from "./model.ts";
import { fieldText } from "./notation.ts";

export function printBackground(declared: unknown): unknown {
  if (Array.isArray(declared)) return declared.map(printBackground);
  if (declared === null || typeof declared !== "object") return declared;
  const node = declared as Readonly<Record<string, unknown>>;
  if (isExpression(node)) return printWork(node);
  switch (node["kind"]) {
    case "literal":
      return node["value"];
    case "value":
      return template(node["expression"]);
    case "text":
      return (node["parts"] as readonly unknown[])
        .map((part) => (typeof part === "string" ? part : template(part)))
        .join("");
    case "list":
      return printBackground(node["items"]);
    case "object":
      return printBackground(node["members"]);
    default:
      return members(node);
  }
}

/** Null values are left out. */
function members(node: Readonly<Record<string, unknown>>): unknown {
  const given = Object.entries(node).filter(([, value]) => value !== null);
  return Object.fromEntries(
    given.map(([name, value]) => [name, areFields(name, value) ? notations(value) : printBackground(value)]),
  );
}

function areFields(name: string, value: unknown): value is readonly Field[] {
  return ["payload", "input", "variables"].includes(name) && Array.isArray(value);
}

function notations(fields: readonly Field[]): unknown {
  return Object.fromEntries(fields.map((field) => [field.name, fieldText(field)]));
}

function template(expression: unknown): string {
  return isExpression(expression) ? `\${{ ${printWork(expression)} }}` : "";
}

/** A field of the record always follows its name here, because bare names are not fields. */
export function printWork(expression: Expression): string {
  return printExpression(
    rewrite(expression, (node) =>
      node.kind === "field" && node.row === "record"
        ? { kind: "value", type: node.type, root: "record", path: node.path }
        : node,
    ),
  );
}

function isExpression(value: unknown): value is Expression {
  if (value === null || typeof value !== "object" || !("kind" in value) || !("type" in value)) return false;
  return value.type !== null && typeof value.type === "object" && "kind" in value.type;
}
