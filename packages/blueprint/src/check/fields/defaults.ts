// Checks defaults. In: the declared default of a field and its checked type. Out: the default of the model, or null
// after its problem was reported. Only this file knows words such as `now` and `current_user.id`.
import type { DefaultDeclaration } from "../../declarations/entity-declaration.ts";
import { typeTraits } from "../../field-types/type-traits.ts";
import type { FieldDefault, FieldType, Limits } from "../../model/model.ts";
import type { Report } from "../../text/report.ts";
import type { Node } from "../../text/syntax.ts";
import { checkValue } from "./values.ts";

export function checkDefault(
  declared: DefaultDeclaration,
  type: FieldType,
  limits: Limits,
  report: Report,
): FieldDefault | null {
  if (declared.node.kind === "scalar" && declared.node.broken) return null;
  const refuse = (hint: string | null, range = declared.range): null => {
    report.add("invalid_default", range, `${shown(declared.node)} is not a valid default for ${nameOf(type)}.`, hint);
    return null;
  };
  if (!typeTraits[type.kind].default) return refuse(whyNone(type));
  const word = wordOf(declared.node);
  if (type.kind === "user_ref")
    return word === "current_user.id"
      ? { kind: "current_user_id" }
      : refuse("The only possible default is `current_user.id`.");
  if (type.kind === "org_ref")
    return word === "current_org" ? { kind: "current_org" } : refuse("The only possible default is `current_org`.");
  if (type.kind === "datetime" && word === "now") return { kind: "now" };
  if (type.kind === "date" && word === "today") return { kind: "today" };
  const checked = checkValue(type, limits, declared.node, { words: declared.words });
  if ("problem" in checked) return refuse(checked.problem, checked.range);
  // A JSON null in a column could not be distinguished from a missing value.
  return checked.value === null ? refuse("Remove the default.") : { kind: "literal", value: checked.value };
}

function wordOf(node: Node): string | null {
  return node.kind === "scalar" && node.style === "plain" ? node.text : null;
}

function shown(node: Node): string {
  if (node.kind !== "scalar") return node.kind === "list" ? "This list" : "This map";
  const text = node.text.slice(0, 60).replace(/\p{Cc}/gu, "\ufffd");
  return text === "" ? "Nothing" : `\`${text}${node.text.length > 60 ? "..." : ""}\``;
}

function nameOf(type: FieldType): string {
  return type.kind === "enum" ? "this enum" : `the type \`${type.kind}\``;
}

function whyNone(type: FieldType): string {
  switch (type.kind) {
    case "ref":
    case "refs":
      return "A reference can't have a default.";
    case "slug":
      return "If the caller sends no value, the slug is made from the field in `slug(field)`.";
    case "sequence":
    case "computed":
      return "The service generates the value.";
    default:
      return `The type \`${type.kind}\` can't have a default.`;
  }
}
