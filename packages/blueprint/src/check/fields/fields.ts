// Checks one field. In: its declaration. Out: the field of the model, "not_served" for a type that isn't available yet,
// or null if it is wrong. The expression of a computed field is unknown until all fields are known. A field with a
// wrong default is only used to check rules and doesn't reach the model.
import type { FieldDeclaration } from "../../declarations/entity-declaration.ts";
import { typesNotServed } from "../../field-types/type-traits.ts";
import type { Field, FieldType, OnDelete } from "../../model/model.ts";
import { plainField } from "../../model/plain-field.ts";
import { checkName } from "../../text/names.ts";
import type { Report } from "../../text/report.ts";
import type { Word } from "../../text/syntax.ts";
import { asTimeOfRecord, timesOfRecord } from "../entities/implicit-fields.ts";
import { checkWriting } from "../writing.ts";
import { checkDefault } from "./defaults.ts";
import { checkLimits } from "./limits.ts";
import { checkModifiers, checkOnDelete } from "./modifiers.ts";
import { checkSearch } from "./search.ts";
import { checkType, type TypeContext } from "./types.ts";

const notServedHint = "Add a `?`, or remove the field until it is available.";

export function checkField(declared: FieldDeclaration, context: TypeContext): Field | "not_served" | null {
  if (declared.type === null) return null;
  const { report } = context;
  const type = checkType(declared.type, context);
  if (type === null) return null;
  if (typesNotServed.includes(type.kind)) {
    const name = declared.name.text;
    const { range } = declared.type.name;
    const notYet = `Fields of the type \`${type.kind}\` aren't available yet`;
    // Clients would have to send a value that nobody stores.
    if (declared.optional) report.add("field_not_served", range, `${notYet}, so \`${name}\` is ignored.`);
    else report.add("required_not_served", range, `${notYet}, so \`${name}\` can't be required.`, notServedHint);
    if (declared.default !== null) {
      report.add("invalid_default", declared.default.range, `The type \`${type.kind}\` can't have a default.`);
    }
    return "not_served";
  }
  const limits = checkLimits(type, declared.type, declared.limits, report);
  const usable = checkModifiers(declared, type, report);
  for (const word of [declared.label, declared.help, declared.deprecated]) {
    if (word !== null) checkWriting(word, "invalid_field", report);
  }
  if (!checkWritable(declared, context) || !checkPer(declared, type, report) || !checkAt(declared, type, report))
    return null;
  const onDelete = "onDelete" in type ? checkOnDelete(declared, report) : null;
  const search = checkSearch(declared, type, report);
  if (limits === null || !usable) return null;
  const fallback = declared.default === null ? null : checkDefault(declared.default, type, limits, report);
  return {
    ...plainField(declared.name.text, completeType(type, onDelete, declared)),
    optional: declared.optional || type.kind === "computed" || declared.at !== null,
    default: fallback,
    limits,
    writer: serviceWrites(declared, type) ? "service" : declared.writable === null ? "caller" : "admin",
    was: declared.was?.text ?? null,
    immutable: declared.marks.has("immutable"),
    internal: declared.marks.has("internal"),
    pii: declared.marks.has("pii"),
    searchable: declared.marks.has("searchable"),
    ...(search !== null && { search }),
    deprecated: declared.deprecated?.text ?? null,
    label: declared.label?.text ?? null,
    help: declared.help?.text ?? null,
  };
}

/** The modifiers that add to a type. */
function completeType(type: FieldType, onDelete: OnDelete | null, { per, at, as }: FieldDeclaration): FieldType {
  if (type.kind === "sequence") {
    return { ...type, ...(per !== null && { per: "org" }), ...(at !== null && { at: edgeNamed(at) ?? "" }) };
  }
  if (type.kind === "user_ref") {
    return { ...type, onDelete: onDelete ?? type.onDelete, ...(as !== null && { as: as.text }) };
  }
  return onDelete === null ? type : ({ ...type, onDelete } as FieldType);
}

function checkPer({ per }: FieldDeclaration, { kind }: FieldType, report: Report): boolean {
  if (per === null) return true;
  if (kind !== "sequence") {
    const message = `\`per\` can't be used here: the type \`${kind}\` doesn't count.`;
    report.add("misplaced_modifier", per.range, message, "Use it with `sequence`: `sequence(INV-) per(org)`.");
    return false;
  }
  if (per.text === "org") return true;
  report.add(
    "invalid_field",
    per.range,
    `\`${per.text.slice(0, 40)}\` is not a valid value for \`per\`.`,
    "Write `per(org)`.",
  );
  return false;
}

/** `check/entities/numbered.ts` checks whether the transition exists. */
function checkAt({ at }: FieldDeclaration, { kind }: FieldType, report: Report): boolean {
  if (at === null) return true;
  if (kind !== "sequence") {
    const message = `\`at\` can't be used here: the type \`${kind}\` doesn't count.`;
    report.add(
      "misplaced_modifier",
      at.range,
      message,
      "Use it with `sequence`: `sequence(INV-) at(transition:issue)`.",
    );
    return false;
  }
  if (edgeNamed(at) !== null) return true;
  const hint = "Name a transition: `at(transition:issue)`.";
  report.add("invalid_field", at.range, `\`${at.text.slice(0, 40)}\` is not a valid value for \`at\`.`, hint);
  return false;
}

/** The name after `transition:`. */
export function edgeNamed({ text }: Word): string | null {
  const [, name = null] = /^transition:\s*(\S+)$/.exec(text) ?? [];
  return name;
}

/** For records, permissions say who can write which field. For users, only the user and admins can write. */
function checkWritable({ writable, marks }: FieldDeclaration, { isProfile, report }: TypeContext): boolean {
  if (writable === null) return true;
  const { text, range } = writable;
  if (isProfile !== true) {
    const hint = "Narrow the permission instead: `update: { allow: true, fields: [title] }`.";
    report.add(
      "misplaced_modifier",
      range,
      "`writable` can't be used here: it is only for profile fields of users.",
      hint,
    );
    return false;
  }
  if (text !== "admin") {
    report.add(
      "invalid_field",
      range,
      `\`${text.slice(0, 40)}\` is not a valid value for \`writable\`.`,
      "Write `writable(admin)`.",
    );
    return false;
  }
  const other = (["readonly", "internal"] as const).find((mark) => marks.has(mark));
  if (other === undefined) return true;
  report.add("misplaced_modifier", range, `\`writable\` can't be used here: nobody can write an \`${other}\` field.`);
  return false;
}

function ownField(
  field: ReturnType<typeof checkField>,
  declared: FieldDeclaration,
  report: Report,
): ReturnType<typeof checkField> {
  const isTime = field !== null && field !== "not_served" && timesOfRecord.includes(field.name);
  return isTime ? timeOfRecord(field, declared, report) : field;
}

/** The service writes it, so a declaration can only set its position and its name. */
function timeOfRecord(field: Field, { name, marks }: FieldDeclaration, report: Report): Field | null {
  const { type, optional, default: fallback } = field;
  const { min, max } = field.limits;
  const fits = type.kind === "datetime" && !optional && min === null && max === null && !marks.has("immutable");
  if (fits && (fallback === null || fallback.kind === "now")) return asTimeOfRecord(field);
  const when = name.text === "created_at" ? "made" : "last changed";
  report.add(
    "service_field",
    name.range,
    `\`${name.text}\` is the time when a record was ${when}. Only the service writes it.`,
    `Write \`${name.text}: datetime\`, remove the field (every entity has it), or choose another name.`,
  );
  return null;
}

function serviceWrites({ marks }: FieldDeclaration, type: FieldType): boolean {
  return marks.has("readonly") || type.kind === "computed" || type.kind === "sequence";
}

interface CheckedFields {
  readonly fields: readonly { readonly field: Field; readonly declared: FieldDeclaration }[];
  /** Names of fields that are wrong or not available yet. */
  readonly broken: ReadonlySet<string>;
}

/** The fields of one entity, each checked alone. */
export function checkFields(declared: readonly FieldDeclaration[], context: TypeContext): CheckedFields {
  const fields: { field: Field; declared: FieldDeclaration }[] = [];
  const broken = new Set<string>();
  for (const one of declared) {
    const problem = checkName(one.name.text, "field");
    if (problem !== null) context.report.add(problem.code, one.name.range, problem.message, problem.hint);
    const field = ownField(checkField(one, context), one, context.report);
    if (field !== null && field !== "not_served") fields.push({ field, declared: one });
    if (field === null || field === "not_served" || problem !== null) broken.add(one.name.text);
  }
  return { fields, broken };
}
