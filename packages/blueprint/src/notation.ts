// In: a field of the model, or a part of it. Out: its short notation, as a blueprint has it.
import { STRING_MAX_DEFAULT } from "./check/fields.ts";
import type { Field, FieldDefault, FieldType } from "./model.ts";

export function fieldText(field: Field): string {
  const fallback = field.default === null ? "" : ` = ${defaultText(field.default)}`;
  return `${typeText(field.type)}${field.optional ? "?" : ""}${fallback}`;
}

/** A string of another length than the usual has no short notation yet; `string(max 80)` is for people. */
export function typeText(type: FieldType): string {
  switch (type.kind) {
    case "enum":
      return `enum[${type.values.join(", ")}]`;
    case "ref":
      return `ref(${type.entity})`;
    case "string":
      return type.max === STRING_MAX_DEFAULT ? "string" : `string(max ${type.max})`;
    case "text":
    case "email":
    case "int":
    case "bool":
    case "datetime":
    case "uuid":
    case "user_ref":
      return type.kind;
  }
}

export function defaultText(value: FieldDefault): string {
  if (value.kind === "current_user_id") return "current_user.id";
  if (value.kind === "now") return "now";
  return typeof value.value === "string" ? JSON.stringify(value.value) : String(value.value);
}
