// In: one field's declaration. Out: the field of the model, "not_served" for a type that nothing serves yet,
// or null where its type is unknown. A field whose default is wrong stands for the checks of rules; it reaches no model.
import { didYouMean, isInstant } from "@plinth/expression";
import type { DefaultDeclaration, FieldDeclaration, TypeDeclaration } from "../declarations.ts";
import { notSupportedYet } from "../expect.ts";
import { laterTypes, servedTypes } from "../field-type.ts";
import type { Field, FieldDefault, FieldType, ModuleName } from "../model.ts";
import { checkName } from "../names.ts";
import type { Report } from "../report.ts";
import { requireModule } from "./modules.ts";

export interface FieldContext {
  readonly entities: ReadonlySet<string>;
  readonly modules: ReadonlySet<ModuleName>;
  readonly report: Report;
}

export const STRING_MAX_DEFAULT = 255;
const ENUM_VALUES_MAX = 200;
const INT_MIN = -2_147_483_648;
const INT_MAX = 2_147_483_647;

export function checkField(declared: FieldDeclaration, context: FieldContext): Field | "not_served" | null {
  if (declared.type === null) return null;
  const { report } = context;
  const name = declared.name.text;
  if (declared.type.name.text === "file") {
    requireModule("storage", context.modules, "A `file` field", declared.type.name.range, report);
    report.add(
      "field_not_served",
      declared.type.name.range,
      `\`file\` fields are not served yet: \`${name}\` is left out.`,
    );
    if (declared.default !== null) report.add("invalid_default", declared.default.range, "A `file` has no default.");
    return "not_served";
  }
  const type = checkType(declared.type, context);
  if (type === null) return null;
  const longest = declared.type.max?.value ?? STRING_MAX_DEFAULT;
  const fallback = declared.default === null ? null : checkDefault(declared.default, type, longest, report);
  const max = type.kind === "string" ? String(declared.type.max?.value ?? STRING_MAX_DEFAULT) : null;
  return {
    ...plainField(name, type),
    optional: declared.optional,
    default: fallback,
    limits: { min: null, max, pattern: null },
  };
}

/** A field that callers write and that has nothing but a type. */
export function plainField(name: string, type: FieldType): Field {
  return {
    name,
    type,
    optional: false,
    default: null,
    limits: { min: null, max: null, pattern: null },
    writer: "caller",
    declared: true,
    was: null,
    immutable: false,
    internal: false,
    pii: false,
    searchable: false,
    deprecated: null,
    label: null,
    help: null,
  };
}

function checkType(declared: TypeDeclaration, context: FieldContext): FieldType | null {
  const { report } = context;
  const { name, args } = declared;
  if (laterTypes.includes(name.text)) {
    notSupportedYet(report, name.range, `the type \`${name.text}\``);
    return null;
  }
  if (!servedTypes.includes(name.text)) {
    const hint =
      didYouMean(name.text, [...servedTypes, ...laterTypes]) ??
      aliases[name.text] ??
      `There are: ${servedTypes.join(", ")}.`;
    report.add("unknown_type", name.range, `There is no field type \`${name.text}\`.`, hint);
    return null;
  }
  if (declared.max !== null && name.text !== "string") {
    report.add(
      "invalid_field",
      declared.max.range,
      `\`max\` is not for the type \`${name.text}\`.`,
      "Only a `string` has it yet.",
    );
    return null;
  }
  if (name.text === "enum") return checkEnum(declared, report);
  if (name.text === "ref") return checkReference(declared, context);
  if (declared.brackets !== null) {
    const first = args[0]?.range ?? name.range;
    if (name.text === "string")
      notSupportedYet(report, first, "arguments of `string`", "Write the long form: `{ type: string, max: 80 }`.");
    else report.add("invalid_field", first, `The type \`${name.text}\` takes no arguments.`);
    return null;
  }
  switch (name.text) {
    case "string":
      return { kind: "string" };
    case "user_ref":
      requireModule("auth", context.modules, "A `user_ref`", name.range, report);
      return { kind: "user_ref", onDelete: "restrict" };
    case "text":
    case "email":
    case "int":
    case "bool":
    case "datetime":
    case "uuid":
      return { kind: name.text };
    default:
      throw new Error(`no check for the field type ${name.text}`);
  }
}

/** Names of other languages for our types. */
const aliases: Readonly<Record<string, string>> = {
  str: "Did you mean `string`?",
  varchar: "Did you mean `string`?",
  integer: "Did you mean `int`?",
  number: "Did you mean `int`?",
  boolean: "Did you mean `bool`?",
  timestamp: "Did you mean `datetime`?",
  user: "Did you mean `user_ref`?",
  reference: "Did you mean `ref(entity)`?",
};

function checkEnum({ name, args, brackets }: TypeDeclaration, report: Report): FieldType | null {
  if (brackets !== "[]" || args.length === 0) {
    report.add(
      "invalid_enum",
      name.range,
      "An enum lists its values in brackets.",
      "For example `enum[draft, active]`.",
    );
    return null;
  }
  const over = args[ENUM_VALUES_MAX];
  if (over !== undefined) report.add("too_many", over.range, `An enum has at most ${ENUM_VALUES_MAX} values.`);
  const seen = new Set<string>();
  for (const { text, range } of args) {
    const problem = checkName(text, "enum value");
    if (problem !== null) report.add(problem.code, range, problem.message, problem.hint);
    else if (seen.has(text))
      report.add("duplicate_value", range, `\`${text}\` stands twice in this enum.`, "Remove one of them.");
    seen.add(text);
  }
  return { kind: "enum", values: [...seen] };
}

function checkReference(
  { name, args, brackets }: TypeDeclaration,
  { entities, modules, report }: FieldContext,
): FieldType | null {
  const target = args[0];
  if (brackets !== "()" || target === undefined || args.length > 1) {
    report.add("invalid_field", name.range, "`ref` names one entity.", "For example `ref(listing)`.");
    return null;
  }
  if (entities.has(target.text)) return { kind: "ref", entity: target.text, onDelete: "restrict" };
  if (target.text === "user") {
    report.add("unknown_entity", target.range, "Users are referred to by a type of their own.", "Write `user_ref`.");
    requireModule("auth", modules, "A `user_ref`", target.range, report);
  } else
    report.add(
      "unknown_entity",
      target.range,
      `There is no entity \`${target.text}\`.`,
      didYouMean(target.text, entities),
    );
  return null;
}

function checkDefault(
  declared: DefaultDeclaration,
  type: FieldType,
  longest: number,
  report: Report,
): FieldDefault | null {
  const given = readDefault(declared);
  const fallback = defaultFor(type, longest, given);
  if (typeof fallback !== "string") return fallback;
  report.add(
    "invalid_default",
    declared.range,
    `\`${given.text}\` can't be the default of ${typeName(type)}.`,
    fallback,
  );
  return null;
}

interface GivenDefault {
  /** As a text: without quotes. */
  readonly text: string;
  /** Written as a text on purpose: it is no number, no word of the language. */
  readonly quoted: boolean;
  /** In the long form YAML has read the value already: there a plain text is a text. */
  readonly longForm: boolean;
}

function readDefault(declared: DefaultDeclaration): GivenDefault {
  if (declared.form === "notation")
    return { text: declared.notation.value, quoted: declared.notation.quoted, longForm: false };
  const { scalar } = declared;
  return { text: scalar.text, quoted: scalar.style !== "plain", longForm: true };
}

/** The default, or a hint that says what could stand there. */
function defaultFor(type: FieldType, longest: number, { text, quoted, longForm }: GivenDefault): FieldDefault | string {
  switch (type.kind) {
    case "string":
    case "text":
    case "email":
      return textDefault(type, longest, text, quoted || longForm);
    case "enum":
      if (type.values.includes(text)) return { kind: "literal", value: text };
      return didYouMean(text, type.values) ?? `It is one of: ${type.values.slice(0, 12).join(", ")}.`;
    case "int": {
      const value = /^-?\d{1,10}$/.test(text) && !quoted ? Number(text) : Number.NaN;
      return value >= INT_MIN && value <= INT_MAX
        ? { kind: "literal", value: value === 0 ? 0 : value }
        : `A whole number from ${INT_MIN} to ${INT_MAX}.`;
    }
    case "bool":
      return (text === "true" || text === "false") && !quoted
        ? { kind: "literal", value: text === "true" }
        : "Write `true` or `false`.";
    case "datetime":
      if (text === "now" && !quoted) return { kind: "now" };
      return isInstant(text)
        ? { kind: "literal", value: text }
        : 'Write `now` or a time in quotes: `"2026-01-31T12:00:00Z"`.';
    case "uuid":
      return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
        ? { kind: "literal", value: text.toLowerCase() }
        : "Write a UUID.";
    case "user_ref":
      return text === "current_user.id" && !quoted ? { kind: "current_user_id" } : "Only `current_user.id` can be.";
    case "ref":
      return "A reference has no default.";
    default:
      return `The type \`${type.kind}\` has no default.`;
  }
}

function textDefault(
  type: Extract<FieldType, { kind: "string" | "text" | "email" }>,
  longest: number,
  text: string,
  isText: boolean,
): FieldDefault | string {
  if (!isText) return `A text is written in quotes: \`"${text}"\`.`;
  if (text.includes("\u0000") || !text.isWellFormed()) return "It holds a NUL or half a character.";
  if (type.kind === "string" && [...text].length > longest)
    return `It is longer than the ${longest} characters of the field.`;
  if (type.kind === "email" && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return "It is not an e-mail address.";
  return { kind: "literal", value: text };
}

function typeName(type: FieldType): string {
  return type.kind === "enum" ? "this enum" : `the type \`${type.kind}\``;
}
