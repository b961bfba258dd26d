// Checks types. In: the declared type of a field. Out: the type of the model, or null after problems were reported.
// Limits, defaults and modifiers are checked elsewhere, and a computed field's expression when all fields are known.

import type { MemberDeclaration, TypeDeclaration } from "../../declarations/entity-declaration.ts";
import { listed } from "../../declarations/foreign-words.ts";
import { currencyScales } from "../../field-types/currencies.ts";
import { type TypeName, typeAliases, typeNames, typeTraits } from "../../field-types/type-traits.ts";
import type { FieldType, ModuleName, ObjectMember } from "../../model/model.ts";
import { unknownExpression } from "../../rules/expression-schema.ts";
import { checkName } from "../../text/names.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";
import { requireModule } from "../modules.ts";
import { checkLimits } from "./limits.ts";

export interface TypeContext {
  readonly entities: ReadonlySet<string>;
  readonly modules: ReadonlySet<ModuleName>;
  readonly report: Report;
  /** For a user's profile, not for an entity. */
  readonly isProfile?: true;
}

const ENUM_VALUES_MAX = 200;
const MEMBERS_MAX = 100;
const PRECISION_MAX = 100;
const DIMENSIONS_MAX = 16_000;

export function checkType(declared: TypeDeclaration, context: TypeContext): FieldType | null {
  const kind = typeNames.find((one) => one === declared.name.text);
  if (kind === undefined) {
    refuseUnknown(declared.name, context.report);
    return null;
  }
  const { module } = typeTraits[kind];
  if (module !== null) {
    requireModule(
      module,
      context.modules,
      `A \`${kind}\`${kind.endsWith("_ref") ? "" : " field"}`,
      declared.name.range,
      context.report,
    );
  }
  return checkKind(kind, declared, context);
}

function refuseUnknown({ text, range }: Word, report: Report): void {
  const alias = typeAliases.get(text.toLowerCase());
  const hint =
    alias !== undefined
      ? `Did you mean \`${alias === "ref" ? "ref(entity)" : alias}\`?`
      : (suggestFor(text, typeNames, report) ?? `Known types: ${listed(typeNames)}.`);
  report.add("unknown_type", range, `There is no field type \`${text}\`.`, hint);
}

function checkKind(kind: TypeName, declared: TypeDeclaration, context: TypeContext): FieldType | null {
  switch (kind) {
    case "string":
      // Its arguments are limits.
      return takesBrackets(declared, "()", context.report) ? { kind } : null;
    case "enum":
    case "enum_set": {
      const values = enumValues(declared, context.report);
      return values === null ? null : { kind, values };
    }
    case "decimal":
      return decimalOf(declared, context.report);
    case "money":
      return moneyOf(declared, context.report);
    case "vector":
      return vectorOf(declared, context.report);
    case "slug":
    case "sequence": {
      if (!takesBrackets(declared, "()", context.report)) return null;
      if (declared.args.length > 1)
        return wrong(declared, `\`${kind}\` needs exactly one argument.`, null, context.report);
      const [first] = declared.args;
      if (kind === "slug") return { kind, from: first?.text ?? null };
      return sequenceOf(first, context.report);
    }
    case "object": {
      const fields = membersOf(declared, context);
      return fields === null ? null : { kind, fields };
    }
    case "list":
    case "i18n":
      return containerOf(kind, declared, context);
    case "ref":
    case "refs":
      return referenceOf(kind, declared, context);
    case "file":
    case "image":
      return fileOf(kind, declared, context.report);
    case "computed":
      if (declared.expression !== null && declared.expression.text.trim() !== "") {
        return { kind, expression: unknownExpression };
      }
      return wrong(
        declared,
        "A computed field needs an expression.",
        "For example `computed(price * quantity)`.",
        context.report,
      );
    case "user_ref":
    case "org_ref":
      return takesBrackets(declared, null, context.report) ? { kind, onDelete: "restrict" } : null;
    default:
      return takesBrackets(declared, null, context.report) ? { kind } : null;
  }
}

/** Reports a problem and returns null. */
function wrong(at: { range: Word["range"] }, message: string, hint: string | null, report: Report): null {
  report.add("invalid_field", at.range, message, hint);
  return null;
}

function takesBrackets(declared: TypeDeclaration, brackets: "()" | null, report: Report): boolean {
  if (declared.brackets === null || declared.brackets === brackets) return true;
  const first = declared.args[0] ?? declared.name;
  wrong(
    first,
    brackets === null
      ? `The type \`${declared.name.text}\` takes no arguments.`
      : `Write the arguments of \`${declared.name.text}\` in parentheses.`,
    declared.name.text === "text" ? "Limits are keys of the long form: `{ type: text, max: 2000 }`." : null,
    report,
  );
  return false;
}

function enumValues({ name, args, brackets }: TypeDeclaration, report: Report): readonly string[] | null {
  if (brackets !== "[]" || args.length === 0) {
    report.add(
      "invalid_enum",
      name.range,
      "An enum needs its values in brackets.",
      `For example \`${name.text}[draft, active]\`.`,
    );
    return null;
  }
  const over = args[ENUM_VALUES_MAX];
  if (over !== undefined) report.add("too_many", over.range, `An enum can have at most ${ENUM_VALUES_MAX} values.`);
  const seen = new Set<string>();
  for (const { text, range } of args) {
    const problem = checkName(text, "enum value");
    if (problem !== null) report.add(problem.code, range, problem.message, problem.hint);
    else if (seen.has(text))
      report.add("duplicate_value", range, `\`${text}\` is listed twice in this enum.`, "Remove one of them.");
    seen.add(text);
  }
  return [...seen];
}

function decimalOf(declared: TypeDeclaration, report: Report): FieldType | null {
  const [precision, scale] = declared.args.map((one) => wholeNumber(one.text));
  const fine =
    declared.brackets === "()" &&
    declared.args.length === 2 &&
    precision !== undefined &&
    scale !== undefined &&
    precision >= 1 &&
    precision <= PRECISION_MAX &&
    scale <= precision;
  if (fine) return { kind: "decimal", precision, scale };
  const message = "`decimal` needs its number of digits and how many of them come after the decimal point.";
  return wrong(declared, message, `For example \`decimal(10,2)\`. At most ${PRECISION_MAX} digits.`, report);
}

function moneyOf(declared: TypeDeclaration, report: Report): FieldType | null {
  const [currency] = declared.args;
  const scale = currencyScales.get(currency?.text ?? "");
  if (declared.brackets === "()" && declared.args.length === 1 && currency !== undefined && scale !== undefined) {
    return { kind: "money", currency: currency.text, scale };
  }
  if (declared.brackets !== "()" || currency === undefined || declared.args.length > 1) {
    return wrong(declared, "`money` needs a currency.", "For example `money(EUR)`.", report);
  }
  const hint =
    suggestFor(currency.text.toUpperCase(), currencyScales.keys(), report) ??
    "Use the three-letter code of ISO 4217: `EUR`.";
  return wrong(currency, `There is no currency \`${currency.text.slice(0, 40)}\`.`, hint, report);
}

function vectorOf(declared: TypeDeclaration, report: Report): FieldType | null {
  const dimensions = wholeNumber(declared.args[0]?.text ?? "");
  const fine =
    declared.brackets === "()" && declared.args.length === 1 && dimensions >= 1 && dimensions <= DIMENSIONS_MAX;
  if (fine) return { kind: "vector", dimensions };
  const hint = `For example \`vector(768)\`. At most ${DIMENSIONS_MAX}.`;
  return wrong(declared, "`vector` needs its number of dimensions.", hint, report);
}

function sequenceOf(prefix: Word | undefined, report: Report): FieldType | null {
  const text = prefix?.text ?? "";
  if (/^[\x21-\x7e]{0,20}$/.test(text)) return { kind: "sequence", prefix: text };
  const message = "The prefix of a sequence can have at most 20 printable characters without spaces.";
  return prefix === undefined ? null : wrong(prefix, message, "For example `sequence(INV-)`.", report);
}

function fileOf(kind: "file" | "image", declared: TypeDeclaration, report: Report): FieldType | null {
  if (!takesBrackets(declared, "()", report)) return null;
  const mime: string[] = [];
  let maxBytes: number | null = null;
  for (const one of declared.args) {
    const size = /^(\d{1,6})(B|KB|MB|GB)$/i.exec(one.text);
    if (size !== null && maxBytes === null) {
      maxBytes = Number(size[1]) * 1024 ** ["B", "KB", "MB", "GB"].indexOf((size[2] ?? "B").toUpperCase());
    } else if (/^[a-z0-9]+\/(?:\*|[a-z0-9][a-z0-9.+-]*)$/.test(one.text)) {
      mime.push(one.text);
    } else {
      const example = kind === "file" ? "file(application/pdf, 10MB)" : "image(image/*, 5MB)";
      return wrong(
        one,
        `\`${one.text.slice(0, 60)}\` is neither a media type nor a size.`,
        `For example \`${example}\`.`,
        report,
      );
    }
  }
  return { kind, mime, maxBytes };
}

function referenceOf(
  kind: "ref" | "refs",
  declared: TypeDeclaration,
  { entities, report }: TypeContext,
): FieldType | null {
  const [target] = declared.args;
  if (declared.brackets !== "()" || target === undefined || declared.args.length > 1) {
    return wrong(
      declared.name,
      `\`${kind}\` needs the name of an entity.`,
      `For example \`${kind}(listing)\`.`,
      report,
    );
  }
  if (entities.has(target.text)) {
    return kind === "ref" ? { kind, entity: target.text, onDelete: "restrict" } : { kind, entity: target.text };
  }
  const builtin = { user: "user_ref", organization: "org_ref" }[target.text];
  if (builtin !== undefined) {
    const many = `Declare an entity with a \`${builtin}\` and a reference to this one.`;
    const message = `References to \`${target.text}\` have their own type.`;
    report.add("unknown_entity", target.range, message, kind === "ref" ? `Write \`${builtin}\`.` : many);
  } else {
    const hint = suggestFor(target.text, entities, report);
    report.add("unknown_entity", target.range, `There is no entity \`${target.text}\`.`, hint);
  }
  return null;
}

function containerOf(kind: "list" | "i18n", declared: TypeDeclaration, context: TypeContext): FieldType | null {
  const { report } = context;
  if (declared.brackets !== "<>" || declared.of === null) {
    return wrong(declared, `\`${kind}\` needs the type of its members.`, `For example \`${kind}<string>\`.`, report);
  }
  const of = checkType(declared.of, context);
  if (of === null) return null;
  if (kind === "i18n" && of.kind !== "string" && of.kind !== "text" && of.kind !== "markdown") {
    return wrong(declared.of, "Only `string`, `text` and `markdown` can be translated.", null, report);
  }
  if (!typeTraits[of.kind].inList) {
    const hint = of.kind === "ref" ? `Write \`refs(${of.entity})\`.` : null;
    return wrong(declared.of, `A list can't contain the type \`${of.kind}\`.`, hint, report);
  }
  const [limit] = declared.of.args;
  if (of.kind === "string" && limit !== undefined) {
    const hint = "To limit the number of members, use `min` and `max` of the long form.";
    return wrong(limit, `The texts inside \`${kind}<...>\` can't have limits.`, hint, report);
  }
  return { kind, of };
}

function membersOf(declared: TypeDeclaration, context: TypeContext): readonly ObjectMember[] | null {
  const { report } = context;
  const hint = "For example `object{ street: string, zip: string? }`, in quotes. `json` accepts any value.";
  if (declared.brackets !== "{}" || declared.members.length === 0) {
    return wrong(declared, "An object needs its members.", hint, report);
  }
  const over = declared.members[MEMBERS_MAX];
  if (over !== undefined) report.add("too_many", over.name.range, `An object can have at most ${MEMBERS_MAX} members.`);
  const names = new Set<string>();
  const members: ObjectMember[] = [];
  for (const one of declared.members.slice(0, MEMBERS_MAX)) {
    if (names.has(one.name.text)) {
      report.add(
        "duplicate_value",
        one.name.range,
        `The member \`${one.name.text}\` is listed twice.`,
        "Remove one of them.",
      );
    }
    names.add(one.name.text);
    const member = memberOf(one, context);
    if (member !== null) members.push(member);
  }
  return members.length === declared.members.length ? members : null;
}

function memberOf(declared: MemberDeclaration, context: TypeContext): ObjectMember | null {
  const { name } = declared;
  const problem = checkName(name.text, "member");
  if (problem !== null) context.report.add(problem.code, name.range, problem.message, problem.hint);
  const type = declared.type === null ? null : checkType(declared.type, context);
  if (type === null || declared.type === null) return null;
  if (!typeTraits[type.kind].inObject) {
    const message = `An object can't contain the type \`${type.kind}\`.`;
    return wrong(declared.type, message, "Make it a field of the entity instead.", context.report);
  }
  const limits = checkLimits(type, declared.type, declared.limits, context.report);
  return limits === null ? null : { name: name.text, type, optional: declared.optional, limits };
}

function wholeNumber(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
}
