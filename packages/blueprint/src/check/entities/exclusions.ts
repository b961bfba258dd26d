// Checks `exclude` of an entity, which prevents overlapping records. In: the declarations. Out: exclusions over known
// fields, with all problems reported.
import { type Expression, someNode } from "@plinth/expression";
import type { ExclusionDeclaration, TextDeclaration } from "../../declarations/entity-declaration.ts";
import { typeTraits } from "../../field-types/type-traits.ts";
import type { Field } from "../../model/field.ts";
import type { Exclusion } from "../../model/model.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Word } from "../../text/syntax.ts";
import { checkWord } from "./entity-names.ts";
import { checkRowCondition, type RowContext } from "./row-expressions.ts";

const EXCLUSIONS_MAX = 10;
const SAME_MAX = 8;

/** The types that can be the start and the end of a span. */
const spans: ReadonlySet<string> = new Set(["date", "datetime", "int", "bigint", "decimal"]);

export function checkExclusions(declared: readonly ExclusionDeclaration[], context: RowContext): readonly Exclusion[] {
  const { report } = context;
  const over = declared[EXCLUSIONS_MAX];
  if (over !== undefined)
    report.add("too_many", over.name.range, `An entity can have at most ${EXCLUSIONS_MAX} entries in \`exclude\`.`);
  const fields = new Map(context.fields.map((field) => [field.name, field]));
  const known = new Map<string, string>();
  return declared.slice(0, EXCLUSIONS_MAX).flatMap((one) => {
    if (!checkWord(one.name, "exclusion", report)) return [];
    const same = checkSame(one, fields, context);
    const span = checkSpan(one, fields, context);
    const where = one.where === null ? null : checkWhere(one.where, context);
    if (same === null || span === null || (one.where !== null && where === null)) return [];
    const exclusion = { name: one.name.text, same, ...span, where };
    const says = JSON.stringify([[...same].sort(), span, where]);
    const other = known.get(says);
    if (other !== undefined) {
      report.add("duplicate_value", one.name.range, `\`${other}\` already says the same.`, "Remove one of them.");
      return [];
    }
    known.set(says, one.name.text);
    return [exclusion];
  });
}

/** The condition is part of an index, so it must always give the same answer. */
function checkWhere(text: TextDeclaration, context: RowContext): Expression | null {
  const where = checkRowCondition(text, context);
  const asks = where !== null && someNode(where, (node) => node.kind === "operation" && node.operator === "in_cidr");
  if (!asks) return where;
  context.report.add("expression_not_supported", text.range, "`in_cidr` can't be used in this condition.");
  return null;
}

function checkSame(
  { name, same }: ExclusionDeclaration,
  fields: ReadonlyMap<string, Field>,
  context: RowContext,
): readonly string[] | null {
  const { report } = context;
  const over = same[SAME_MAX];
  if (over !== undefined) {
    report.add("too_many", over.range, `\`same\` can have at most ${SAME_MAX} fields.`);
    return null;
  }
  if (same.length === 0) {
    const hint = "Name the fields that the records share: `same: [room_id]`.";
    report.add("missing_key", name.range, `\`${name.text}\` doesn't say which records to compare.`, hint);
    return null;
  }
  const found = same.map((word) => fieldOf(word, fields, context));
  if (found.includes(null)) return null;
  for (const [at, field] of found.entries()) {
    const word = same[at]!;
    if (same.slice(0, at).some((earlier) => earlier.text === word.text)) {
      report.add("duplicate_value", word.range, `\`${word.text}\` is listed twice.`, "Remove one of them.");
      return null;
    }
    if (!typeTraits[field!.type.kind].keyed || field!.type.kind === "computed") {
      const why = `\`${word.text}\` has the type \`${field!.type.kind}\`, which an index can't compare.`;
      report.add("invalid_option", word.range, why, "Use references, numbers, texts, dates or enums.");
      return null;
    }
  }
  return found.map((field) => field!.name);
}

function checkSpan(
  { name, overlap }: ExclusionDeclaration,
  fields: ReadonlyMap<string, Field>,
  context: RowContext,
): { readonly from: string; readonly to: string } | null {
  const { report } = context;
  const [first, last, more] = overlap;
  if (first === undefined || last === undefined || more !== undefined) {
    const hint = "Name the fields with the start and the end: `overlap: [starts_at, ends_at]`.";
    report.add("invalid_option", more?.range ?? first?.range ?? name.range, "`overlap` must name two fields.", hint);
    return null;
  }
  const [from, to] = [fieldOf(first, fields, context), fieldOf(last, fields, context)];
  if (from === null || to === null) return null;
  const says = "Use two fields of the type `date`, `datetime`, `int`, `bigint` or `decimal`.";
  if (!spans.has(from.type.kind)) {
    report.add(
      "invalid_option",
      first.range,
      `A span can't be made of two fields of the type \`${from.type.kind}\`.`,
      says,
    );
    return null;
  }
  if (from.type.kind !== to.type.kind || from.name === to.name) {
    const message =
      from.name === to.name
        ? "A span needs two fields: its start and its end."
        : `\`${from.name}\` has the type \`${from.type.kind}\`, but \`${to.name}\` has the type \`${to.type.kind}\`.`;
    report.add("invalid_option", last.range, message, says);
    return null;
  }
  return { from: from.name, to: to.name };
}

function fieldOf(word: Word, fields: ReadonlyMap<string, Field>, { entity, broken, report }: RowContext): Field | null {
  if (broken.has(word.text)) return null;
  const field = fields.get(word.text);
  if (field !== undefined) return field;
  const hint = suggestFor(word.text, fields.keys(), report);
  report.add("unknown_field", word.range, `\`${entity}\` has no field \`${word.text}\`.`, hint);
  return null;
}
