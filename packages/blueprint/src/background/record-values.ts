// Checks the values of a step. In: values to write or to look up, and the entity. Out: templates by field. It checks
// what is known: that fields exist and can be written, types of values, states of transitions, and the required fields
// of a create.

import { isWrittenByCallers, unknownField } from "../check/entities/transitions.ts";
import { checkValue } from "../check/fields/values.ts";
import { isBroken } from "../declarations/expect.ts";
import type { Template, Values } from "../model/background.ts";
import type { Edge, Field } from "../model/model.ts";
import { typeInRules } from "../rules/expression-schema.ts";
import { type MapEntry, type Node, type Range, wordOf } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";
import type { ActionScope } from "./step-scope.ts";
import { holdsTemplate, literal, readTemplate, warnOfForeignTemplates } from "./templates.ts";

type CheckedEntity = NonNullable<ReturnType<BackgroundContext["entities"]["get"]>>;

interface Writing extends ActionScope {
  readonly as: "create" | "update" | "transition" | "find";
  readonly edge: Edge | null;
  readonly at: Range;
}

export function readFieldValues(
  context: BackgroundContext,
  found: CheckedEntity,
  entries: readonly MapEntry[],
  writing: Writing,
): Values | null {
  const values = new Map<string, Template>();
  let fine = true;
  for (const entry of entries) {
    const { key } = entry;
    if (key.broken || found.brokenFields.has(key.text)) fine = false;
    else {
      const field = found.entity.fields.find((one) => one.name === key.text);
      if (field === undefined) unknownField(wordOf(key), found.entity, context.reader.report);
      const value = field === undefined ? null : readFieldValue(context, found, field, entry, writing);
      if (value === null) fine = false;
      else values.set(key.text, value);
    }
  }
  if (writing.as === "create" && !givesAll(context, found, entries, writing)) fine = false;
  return fine ? Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1))) : null;
}

function readFieldValue(
  context: BackgroundContext,
  found: CheckedEntity,
  field: Field,
  { key, value: node }: MapEntry,
  writing: Writing,
): Template | null {
  const { report } = context.reader;
  const why = writing.as === "find" ? whyNotSought(field) : whyNotWritten(field, found, writing);
  if (why !== null) {
    const message =
      writing.as === "find"
        ? `\`${field.name}\` can't be used to look up a record.`
        : `A step can't write \`${field.name}\` here.`;
    report.add("field_not_writable", key.range, message, why);
    return null;
  }
  const value = readValue(context, field, node, writing);
  if (value === null) return null;
  const machine = found.entity.stateMachine;
  if (machine?.field === field.name && writing.as !== "find" && value.kind === "literal") {
    const problem = stateProblem(String(value.value), found, writing);
    if (problem !== null) {
      report.add("invalid_step_value", node.range, problem.message, problem.hint);
      return null;
    }
  }
  return value;
}

/** A value of a field, of a record or of a payload. */
export function readValue(
  context: BackgroundContext,
  field: Field,
  node: Node,
  { place }: Pick<ActionScope, "place">,
): Template | null {
  const { report } = context.reader;
  if (isBroken(node)) return null;
  if (node.kind === "scalar" && node.value === null) {
    if (field.optional) return literal(null);
    report.add("invalid_step_value", node.range, `\`${field.name}\` always has a value.`);
    return null;
  }
  if (!holdsTemplate(node)) {
    warnOfForeignTemplates(context, node);
    return readLiteral(context, field, node);
  }
  const type = typeInRules(field.type);
  const isPlain = type.kind !== "opaque" && type.kind !== "list";
  if (isPlain && node.kind !== "scalar") return readLiteral(context, field, node);
  const read = readTemplate(context, node, place, isPlain ? type : null);
  if (read === null) return null;
  if (read.kind === "text" && !isWrittenAsText(field)) {
    const message = `\`${field.name}\` is not a text, so it can't mix \`${{}}\` with other characters.`;
    report.add("invalid_step_value", node.range, message, "Write only `${{ ... }}`, without other characters.");
    return null;
  }
  return read;
}

function readLiteral({ reader }: BackgroundContext, field: Field, node: Node): Template | null {
  if (field.type.kind === "secret") {
    reader.report.add("invalid_step_value", node.range, `\`${field.name}\`: a blueprint can't contain secrets.`);
    return null;
  }
  if (field.type.kind === "refs") {
    const ids = node.kind === "list" ? node.items : [];
    const isIds = node.kind === "list" && ids.every((one) => one.kind === "scalar" && typeof one.value === "string");
    if (isIds) return { kind: "literal", value: ids.map((one) => (one.kind === "scalar" ? one.text : "")) };
  }
  const checked = checkValue(field.type, field.limits, node, { words: false });
  if ("value" in checked) return literal(checked.value);
  const message = `This value is not valid for \`${field.name}\`.`;
  reader.report.add("invalid_step_value", checked.range, message, checked.problem);
  return null;
}

function isWrittenAsText({ type }: Field): boolean {
  const { kind } = typeInRules(type);
  return kind !== "bool" && kind !== "int" && kind !== "float" && kind !== "list" && kind !== "opaque";
}

function whyNotSought({ type }: Field): string | null {
  const { kind } = typeInRules(type);
  return kind === "opaque" || kind === "list" || type.kind === "computed"
    ? "Look it up by a field with one plain value."
    : null;
}

function whyNotWritten(field: Field, { entity }: CheckedEntity, { as }: Writing): string | null {
  if (!isWrittenByCallers(field)) return "Only the service writes this field.";
  if (as !== "create" && field.immutable) return "This field can only be set at create.";
  if (as === "transition" && entity.stateMachine?.field === field.name)
    return "The transition writes this field itself.";
  return null;
}

/** A state that no record can reach. */
function stateProblem(
  state: string,
  { entity }: CheckedEntity,
  { as }: Writing,
): { readonly message: string; readonly hint: string } | null {
  const machine = entity.stateMachine;
  if (machine === null) return null;
  if (as === "create") {
    if (state === machine.initial) return null;
    const message = `Every new \`${entity.name}\` starts as \`${machine.initial}\`, so it can't be \`${state}\`.`;
    return { message, hint: "Create the record, then use `record.transition`." };
  }
  if (machine.edges.some((edge) => edge.to === state)) return null;
  const reached = [...new Set(machine.edges.map((edge) => edge.to))];
  return {
    message: `No transition of \`${entity.name}\` leads to \`${state}\`.`,
    hint: `States that can be reached: ${reached.join(", ")}.`,
  };
}

/** Whether a create has all required fields. Reports the missing ones. */
function givesAll(
  { reader }: BackgroundContext,
  { entity, brokenFields }: CheckedEntity,
  entries: readonly MapEntry[],
  { at, inAction }: Writing,
): boolean {
  const given = new Set(entries.map((entry) => entry.key.text));
  const missing = entity.fields.filter(
    (field) => !given.has(field.name) && !brokenFields.has(field.name) && mustBeGiven(field, entity, inAction),
  );
  if (missing.length === 0) return true;
  const names = missing.map((field) => `\`${field.name}\``).join(", ");
  const message = `A new \`${entity.name}\` needs ${names}.`;
  const ofUser = missing.some((field) => field.default?.kind === "current_user_id");
  const [first] = missing;
  const hint = ofUser
    ? "Nobody is signed in here, so defaults with `current_user` don't apply."
    : `Add it under \`with\`: \`${first?.name}: ...\`.`;
  reader.report.add("step_value_missing", at, message, hint);
  return false;
}

function mustBeGiven(field: Field, { stateMachine }: CheckedEntity["entity"], inAction: boolean): boolean {
  if (field.optional || !isWrittenByCallers(field) || !field.declared) return false;
  if (field.type.kind === "refs" || stateMachine?.field === field.name) return false;
  if (field.type.kind === "slug" && field.type.from !== null) return false;
  return field.default === null || (field.default.kind === "current_user_id" && !inAction);
}
