// Checks modifiers. In: the modifiers of a field. Out: a diagnostic for each one that has no effect. It checks one
// field alone; `check/entities/entities.ts` checks names of other fields.
import type { FieldDeclaration, Mark } from "../../declarations/entity-declaration.ts";
import { typeTraits } from "../../field-types/type-traits.ts";
import type { FieldType, OnDelete } from "../../model/model.ts";
import { typeInRules } from "../../rules/expression-schema.ts";
import type { Report } from "../../text/report.ts";
import type { Range } from "../../text/syntax.ts";
import { timesOfRecord } from "../entities/implicit-fields.ts";

/** False if any modifier was refused. */
export function checkModifiers(declared: FieldDeclaration, type: FieldType, report: Report): boolean {
  const refusals = [...misplaced(declared, type), ...contradictions(declared, type)];
  for (const { what, range, why, hint } of refusals) {
    report.add("misplaced_modifier", range, `\`${what}\` can't be used here: ${why}`, hint ?? null);
  }
  return refusals.length === 0;
}

interface Refusal {
  readonly what: string;
  readonly range: Range;
  readonly why: string;
  readonly hint?: string | null;
}

function* misplaced(declared: FieldDeclaration, type: FieldType): Generator<Refusal> {
  const { kind } = type;
  const traits = typeTraits[kind];
  const mark = (name: Mark): Range | undefined => declared.marks.get(name);
  const refusal = (what: string, range: Range, why: string, hint?: string): Refusal => ({
    what,
    range,
    why,
    hint: hint ?? null,
  });
  const own = `the type \`${kind}\``;
  const index = mark("index");
  if (!traits.keyed) {
    if (index !== undefined) yield refusal("index", index, `${own} has no order, so it can't be indexed.`);
    if (declared.uniqueWith.length > 0) {
      yield refusal("unique", declared.uniqueWith[0]?.[0]?.range ?? declared.name.range, `${own} can't be unique.`);
    }
  }
  const searchable = mark("searchable");
  if (searchable !== undefined && !traits.searchable) {
    yield refusal(
      "searchable",
      searchable,
      `${own} is not a text.`,
      "Full-text search only works on texts. Filter other fields by value.",
    );
  }
  const isGenerated = kind === "computed" || kind === "sequence";
  for (const name of ["immutable", "readonly"] as const) {
    const range = mark(name);
    if (range !== undefined && isGenerated)
      yield refusal(name, range, `the service always generates the value of ${own}.`);
  }
  if (kind === "computed" && declared.optional) {
    yield refusal(
      "?",
      declared.type?.range ?? declared.name.range,
      "a computed value is empty when its expression is unknown.",
    );
  }
  if (kind === "refs" && declared.optional) {
    yield refusal("?", declared.type?.range ?? declared.name.range, "a list of references can be empty without it.");
  }
  if (kind === "sequence" && declared.optional && declared.at === null) {
    yield refusal("?", declared.type?.range ?? declared.name.range, "every record gets a number.");
  }
  if (declared.fill !== null && !isFilled(type)) {
    const why =
      kind === "sequence"
        ? "existing records are numbered in the order of their creation."
        : `${own} can't take its value from an expression.`;
    yield refusal("fill", declared.fill.range, why);
  }
  if (declared.fill !== null && timesOfRecord.includes(declared.name.text)) {
    yield refusal("fill", declared.fill.range, "every record already has its times.");
  }
  if (kind === "computed" && declared.was !== null) {
    yield refusal("was", declared.was.range, "a computed field stores no data.");
  }
  const reference = kind === "ref" || kind === "refs" || kind === "user_ref";
  if (declared.as !== null && !reference) {
    yield refusal(
      "as",
      declared.as.range,
      `${own} has no back relation.`,
      "`as` names the back relation of a `ref`, `refs` or `user_ref`.",
    );
  }
  if (declared.onDelete !== null && kind !== "ref" && kind !== "user_ref" && kind !== "org_ref") {
    yield refusal("on_delete", declared.onDelete.range, `${own} is not a reference to one record.`);
  }
}

/** Whether an expression can give such a value. It can't for a list, JSON or an encrypted value. */
function isFilled(type: FieldType): boolean {
  if (type.kind === "computed" || type.kind === "sequence") return false;
  const { kind } = typeInRules(type);
  return kind !== "opaque" && kind !== "list";
}

function* contradictions(declared: FieldDeclaration, type: FieldType): Generator<Refusal> {
  const mark = (name: Mark): Range | undefined => declared.marks.get(name);
  const [immutable, readonly, internal, index] = (["immutable", "readonly", "internal", "index"] as const).map(mark);
  const searchable = mark("searchable");
  if (immutable !== undefined && readonly !== undefined) {
    yield {
      what: "immutable",
      range: immutable,
      why: "no caller can write a `readonly` field.",
      hint: "Remove one of the two.",
    };
  }
  if (internal !== undefined && searchable !== undefined) {
    yield { what: "searchable", range: searchable, why: "a search would reveal the value of an `internal` field." };
  }
  if (index !== undefined && declared.uniqueWith.some((others) => others.length === 0)) {
    yield { what: "index", range: index, why: "`unique` already creates an index.", hint: "Remove `index`." };
  }
  if (declared.was !== null && declared.was.text === declared.name.text) {
    yield {
      what: "was",
      range: declared.was.range,
      why: "the field already has this name.",
      hint: "Write the previous name of the field.",
    };
  }
  if (declared.deprecated !== null && declared.deprecated.text.trim() === "") {
    yield { what: "deprecated", range: declared.deprecated.range, why: "it must contain a reason." };
  }
  const unwritten = readonly ?? internal;
  const given =
    declared.optional ||
    declared.default !== null ||
    ["computed", "sequence", "refs", "slug"].includes(type.kind) ||
    timesOfRecord.includes(declared.name.text);
  if (unwritten !== undefined && !given) {
    const what = readonly !== undefined ? "readonly" : "internal";
    const why = "no caller can set it, it has no default, and it must have a value.";
    yield { what, range: unwritten, why, hint: "Make it optional with `?`, or add a default." };
  }
}

/** What happens to the referring record; null if the word is not valid, which is reported. */
export function checkOnDelete(declared: FieldDeclaration, report: Report): OnDelete | null {
  const { onDelete } = declared;
  if (onDelete === null) return "restrict";
  const meant = (["restrict", "cascade", "set_null"] as const).find((one) => one === onDelete.text);
  if (meant === undefined) {
    const hint = "Use `restrict`, `cascade` or `set_null`.";
    report.add(
      "invalid_field",
      onDelete.range,
      `\`${onDelete.text.slice(0, 40)}\` is not a valid value for \`on_delete\`.`,
      hint,
    );
    return null;
  }
  if (meant === "set_null" && !declared.optional) {
    const hint = "Make the reference optional with `?`.";
    report.add(
      "misplaced_modifier",
      onDelete.range,
      "`set_null` can't be used here: the reference must have a value.",
      hint,
    );
    return null;
  }
  return meant;
}
