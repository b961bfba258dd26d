// Writes values and fields in TypeScript. In: fields and their types. Out: text. It never decides who can read or write
// a field.
import type { Field, FieldType } from "@plinth/blueprint";
import type { Type } from "@plinth/expression";
import { addedSchema } from "../requests/schemas.ts";

export function property(
  field: Field,
  presence: "always" | "maybe",
  type: string,
  indent: string = "        ",
): string {
  return `${comment(field, indent)}${indent}${field.name}${presence === "always" ? "" : "?"}: ${type};`;
}

/** The comment that an editor shows next to the name. */
export function comment(
  { label, help, deprecated = null }: { label: string | null; help: string | null; deprecated?: string | null },
  indent: string,
): string {
  const said = [label, help].filter((part) => part !== null && part !== "").join(": ");
  const text = [said, ...(deprecated === null ? [] : [`@deprecated ${deprecated}`])]
    .filter((part) => part !== "")
    .join(" ")
    .replace(/\s+/g, " ")
    .replaceAll("*/", "* /");
  return text === "" ? "" : `${indent}/** ${text} */\n`;
}

export function orNull(field: Field): string {
  return field.optional ? `${typeOf(field.type)} | null` : typeOf(field.type);
}

/** The value for an update: numbers also accept an addition. */
export function changeOf(field: Field): string {
  return addedSchema(field.type) === null ? orNull(field) : `${orNull(field)} | { add: ${typeOf(field.type)} }`;
}

export function typeOf(type: FieldType): string {
  switch (type.kind) {
    case "int":
    case "float":
    case "percent":
      return "number";
    case "bool":
      return "boolean";
    case "enum":
      return union(type.values);
    case "enum_set":
      return `(${union(type.values)})[]`;
    case "json":
      return "unknown";
    case "object":
      return `{ ${type.fields.map((one) => `${one.name}${one.optional ? "?" : ""}: ${typeOf(one.type)}${one.optional ? " | null" : ""}`).join("; ")} }`;
    case "list":
      return `(${typeOf(type.of)})[]`;
    case "i18n":
      return `Record<string, ${typeOf(type.of)}>`;
    case "point":
      return "{ lat: number; lng: number }";
    case "vector":
      return "number[]";
    case "refs":
      return "string[]";
    case "computed":
      return `${typeOfValue(type.expression.type)}`;
    default:
      return "string";
  }
}

function typeOfValue(type: Type): string {
  switch (type.kind) {
    case "bool":
      return "boolean";
    case "int":
    case "float":
      return "number";
    case "enum":
      return union(type.values);
    case "list":
      return `(${typeOfValue(type.of)})[]`;
    case "opaque":
      return "unknown";
    default:
      return "string";
  }
}

export function union(values: readonly string[]): string {
  return values.length === 0 ? "never" : values.map((value) => JSON.stringify(value)).join(" | ");
}
