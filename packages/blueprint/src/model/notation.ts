// Prints the short notation. In: a field of the model, or a part of it. Out: its notation as in a blueprint; options of
// the long form follow in words. It never checks anything.
import { printExpression } from "@plinth/expression";
import type { Field, FieldDefault, FieldSearch, FieldType, Limits, ObjectMember } from "./model.ts";

/** The default maximum length of a string. */
const STRING_MAX_DEFAULT = 255;

const noLimits: Limits = { min: null, max: null, pattern: null };

/**
 * Everything about a field, for people: two fields that differ in anything except label, help and `was` have different
 * texts.
 */
export function fieldText(field: Field): string {
  const fallback = field.default === null ? "" : ` = ${defaultText(field.default)}`;
  const words = [...modifierWords(field), ...limitWords(field), ...targetWords(field.type)];
  const behind = words.map((word) => ` ${word}`).join("");
  return `${typeText(field.type, field.limits)}${field.optional ? "?" : ""}${behind}${fallback}`;
}

/** A type with its arguments; the limits of a string are arguments. */
export function typeText(type: FieldType, limits: Limits = noLimits): string {
  switch (type.kind) {
    case "string":
      return stringText(limits);
    case "slug":
      return type.from === null ? "slug" : `slug(${type.from})`;
    case "decimal":
      return `decimal(${type.precision}, ${type.scale})`;
    case "money":
      return `money(${type.currency})`;
    case "enum":
    case "enum_set":
      return `${type.kind}[${type.values.join(", ")}]`;
    case "object":
      return `object{ ${type.fields.map(memberText).join(", ")} }`;
    case "list":
    case "i18n":
      return `${type.kind}<${typeText(type.of)}>`;
    case "vector":
      return `vector(${type.dimensions})`;
    case "file":
    case "image":
      return fileText(type.kind, type.mime, type.maxBytes);
    case "ref":
    case "refs":
      return `${type.kind}(${type.entity})`;
    case "sequence":
      return `sequence${type.prefix === "" ? "" : `(${JSON.stringify(type.prefix)})`}${type.per ? ` per(${type.per})` : ""}`;
    case "computed":
      return `computed(${printExpression(type.expression)})`;
    default:
      return type.kind;
  }
}

export function defaultText(value: FieldDefault): string {
  switch (value.kind) {
    case "literal":
      return JSON.stringify(value.value);
    case "current_user_id":
      return "current_user.id";
    case "current_org":
    case "now":
    case "today":
      return value.kind;
  }
}

function stringText({ min, max, pattern }: Limits): string {
  const most = max === null || max === String(STRING_MAX_DEFAULT) ? "" : max;
  if (min === null && pattern === null) return most === "" ? "string" : `string(max ${most})`;
  const parts = [min ?? "", most === "" ? String(STRING_MAX_DEFAULT) : most];
  return `string(${[...parts, ...(pattern === null ? [] : [JSON.stringify(pattern)])].join(", ")})`;
}

function memberText({ name, type, optional, limits }: ObjectMember): string {
  const words = type.kind === "string" ? [] : boundWords(limits);
  return `${name}: ${[`${typeText(type, limits)}${optional ? "?" : ""}`, ...words].join(" ")}`;
}

function fileText(kind: string, mime: readonly string[], maxBytes: number | null): string {
  const args = [...mime, ...(maxBytes === null ? [] : [`max ${maxBytes} bytes`])];
  return args.length === 0 ? kind : `${kind}(${args.join(", ")})`;
}

function modifierWords(field: Field): string[] {
  return [
    ...(field.immutable ? ["immutable"] : []),
    ...(field.writer === "service" ? ["readonly"] : []),
    ...(field.type.kind === "sequence" && field.type.per !== undefined ? [`per(${field.type.per})`] : []),
    ...(field.type.kind === "sequence" && field.type.at !== undefined ? [`at(transition:${field.type.at})`] : []),
    ...(field.writer === "admin" ? ["writable(admin)"] : []),
    ...(field.internal ? ["internal"] : []),
    ...(field.pii ? ["pii"] : []),
    ...(field.searchable ? [searchableText(field.search)] : []),
    ...(field.deprecated === null ? [] : [`deprecated(${JSON.stringify(field.deprecated)})`]),
  ];
}

function searchableText(search: FieldSearch | undefined): string {
  const { weight = "D", fuzzy = false } = search ?? {};
  const words = [...(weight === "D" ? [] : [weight]), ...(fuzzy ? ["fuzzy"] : [])];
  return words.length === 0 ? "searchable" : `searchable(${words.join(", ")})`;
}

function limitWords({ type, limits }: Field): string[] {
  return type.kind === "string" ? [] : boundWords(limits);
}

function boundWords({ min, max, pattern }: Limits): string[] {
  return [
    ...(min === null ? [] : [`min ${min}`]),
    ...(max === null ? [] : [`max ${max}`]),
    ...(pattern === null ? [] : [`pattern ${JSON.stringify(pattern)}`]),
  ];
}

function targetWords(type: FieldType): string[] {
  const follows = type.kind === "ref" || type.kind === "user_ref" || type.kind === "org_ref";
  return follows && type.onDelete !== "restrict" ? [`on_delete ${type.onDelete}`] : [];
}
