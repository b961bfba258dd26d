// In: one declared permission and one operation that it covers. Out: the permission of the model.
// Checks the rule, and what narrows it: `fields`, `set` and `limit`. Whether names of roles exist is known before.
import { type Expression, mentionsUser, someNode } from "@plinth/expression";
import type { PermissionDeclaration, SetDeclaration } from "../../declarations/declarations.ts";
import type { Entity, Operation, Permission } from "../../model/model.ts";
import { typeInRules } from "../../rules/expression-schema.ts";
import { type Range, rangeWithin, type Word } from "../../text/syntax.ts";
import type { CheckedEntity } from "../entities/entity-draft.ts";
import { isWrittenByCallers, unknownField } from "../entities/transitions.ts";
import { neverTrue } from "./never-true.ts";
import { checkRules, checkValueRule, type RuleContext } from "./rule-source.ts";

type Shape = CheckedEntity["entity"];

/** Columns that only the service itself can know: a rule can't set them. */
const neverSet: readonly string[] = ["id", "version", "created_at", "updated_at", "deleted_at"];

export interface GrantContext extends RuleContext {
  readonly overBothRows: Map<PermissionDeclaration, Expression | null>;
}

/** Operations of an entity, in the order of the model. */
export function operationsOf(entity: Pick<Entity, "softDelete" | "stateMachine">): readonly Operation[] {
  const edges = entity.stateMachine?.edges.map((edge): Operation => `transition:${edge.name}`) ?? [];
  const standing: readonly Operation[] = ["create", "delete", "read", "update"];
  return [...standing, ...(entity.softDelete ? (["restore"] as const) : []), ...edges].sort();
}

export function isTransition(operation: Operation): boolean {
  return operation.startsWith("transition:");
}

/** Null where the rule is wrong, or denies as saying nothing does. */
export function checkGrant(
  declared: PermissionDeclaration,
  operation: Operation,
  entity: Shape,
  context: GrantContext,
): Permission | null {
  const rule = ruleOf(declared, operation, entity, context);
  const set = declared.set.flatMap((one) => checkSet(one, operation, entity, context));
  if (rule === null) return null;
  if (rule.kind === "literal" && rule.value === false) return null;
  return {
    role: declared.role.text,
    operation,
    rule,
    fields: fieldsFor(declared, operation, entity),
    set,
    limit: operation === "read" ? (declared.limit?.value ?? null) : null,
  };
}

/** The rule of an update is that of every transition, too: `all` over a hundred edges is checked once. */
function ruleOf(
  declared: PermissionDeclaration,
  operation: Operation,
  entity: Shape,
  context: GrantContext,
): Expression | null {
  const splits = operation === "update" || isTransition(operation);
  const known = splits ? context.overBothRows.get(declared) : undefined;
  if (known !== undefined) return known;
  const rule = checkRules(declared.rules, declared.deny, { record: entity.name, operation }, context);
  if (splits) context.overBothRows.set(declared, rule);
  if (rule !== null) judge(declared, operation, rule, context);
  return rule;
}

function judge(declared: PermissionDeclaration, operation: Operation, rule: Expression, { report }: RuleContext): void {
  const denies = declared.rules.every((one) => one.source === false) && declared.deny.length === 0;
  if (!denies && neverTrue(rule)) {
    report.add(
      "rule_never_true",
      rangeOf(declared),
      "Nothing can make this rule true.",
      "Write `false` if that is meant.",
    );
  } else if (!denies) warnOfOwner(declared, operation, rule, rangeOf(declared), { report });
}

/** A record that is being created has no owner yet, so `create: true` asks nothing more. */
export function warnOfOwner(
  { role }: { readonly role: Word },
  operation: Operation,
  rule: Expression,
  range: Range,
  { report }: Pick<RuleContext, "report">,
): void {
  if (role.text !== "owner" || operation === "create" || mentionsUser(rule)) return;
  report.add(
    "owner_without_user",
    range,
    "`owner` is every signed-in user, and this rule does not ask who: it grants every record to all of them.",
    "Compare a field with `current_user.id`, or grant it to `user` if that is meant.",
  );
}

function rangeOf({ rules, range }: PermissionDeclaration): Range {
  const [first, last] = [rules[0], rules.at(-1)];
  return first === undefined || last === undefined
    ? range
    : { start: first.scalar.range.start, end: last.scalar.range.end };
}

/** What `fields` of an `all` means for a write: those of them that a caller can write there. */
function fieldsFor({ fields }: PermissionDeclaration, operation: Operation, entity: Shape): readonly string[] | null {
  if (fields === null || !takes("fields", operation)) return null;
  const names = fields.words.map((word) => word.text);
  return operation === "read" ? names : names.filter((name) => isWritable(name, operation, entity));
}

function isWritable(name: string, operation: Operation, entity: Shape): boolean {
  const field = entity.fields.find((one) => one.name === name);
  return field !== undefined && isWrittenByCallers(field) && !(operation === "update" && field.immutable);
}

type Option = "fields" | "set" | "limit";

function takes(option: Option, operation: Operation): boolean {
  if (option === "limit") return operation === "read";
  if (option === "fields") return operation === "read" || operation === "create" || operation === "update";
  return operation === "create" || operation === "update" || isTransition(operation);
}

const takers: Readonly<Record<Option, string>> = {
  fields: "read, create and update",
  set: "create, update and transitions",
  limit: "read",
};

/** Checks once, for all operations that it covers, what narrows a permission. */
export function checkOptions(
  declared: PermissionDeclaration,
  covered: readonly Operation[],
  checked: CheckedEntity,
  pageMax: number,
  context: RuleContext,
): void {
  const { report } = context;
  const places: Readonly<Record<Option, Range | null>> = {
    fields: declared.fields?.range ?? null,
    set: declared.set[0]?.field.range ?? null,
    limit: declared.limit?.range ?? null,
  };
  for (const option of ["fields", "set", "limit"] as const) {
    const range = places[option];
    if (range === null || covered.some((operation) => takes(option, operation))) continue;
    const message = `\`${option}\` says nothing about \`${declared.operation.text}\`.`;
    report.add("option_not_applicable", range, message, `It is for ${takers[option]}.`);
  }
  if (declared.limit !== null && declared.limit.value > pageMax)
    report.add(
      "invalid_limit",
      declared.limit.range,
      `A page has at most ${pageMax} records, so a limit of ${declared.limit.value} changes nothing.`,
      "Raise `page_max` under `api`, or lower the limit.",
    );
  if (declared.fields !== null) checkFields(declared.fields, covered, checked, context);
}

function checkFields(
  { words, range }: NonNullable<PermissionDeclaration["fields"]>,
  covered: readonly Operation[],
  { entity, brokenFields }: CheckedEntity,
  { report }: RuleContext,
): void {
  if (words.length === 0)
    report.add("invalid_rule", range, "`fields` is empty.", "Leave it out where all fields are meant.");
  const fields = new Map(entity.fields.map((one) => [one.name, one]));
  const seen = new Set<string>();
  for (const word of words) {
    const field = fields.get(word.text);
    if (seen.size === seen.add(word.text).size)
      report.add("duplicate_value", word.range, `\`${word.text}\` stands here twice.`, "Remove one of them.");
    else if (field === undefined) {
      if (!brokenFields.has(word.text)) unknownField(word, entity, report);
    } else if (covered.includes("read")) {
      if (field.internal || field.type.kind === "secret")
        report.add("field_not_readable", word.range, `\`${field.name}\` never leaves the service.`, "Leave it out.");
    } else if (covered.some((operation) => takes("fields", operation) && !isWritable(field.name, operation, entity)))
      report.add(
        "field_not_writable",
        word.range,
        `No caller can write \`${field.name}\` here.`,
        field.immutable ? "It is set at create only." : "The service writes it.",
      );
  }
}

function checkSet(
  { field: word, value }: SetDeclaration,
  operation: Operation,
  entity: Shape,
  context: RuleContext,
): Permission["set"] {
  if (!takes("set", operation)) return [];
  const { report, source } = context;
  const field = entity.fields.find((one) => one.name === word.text);
  if (field === undefined) {
    if (!context.isBroken(entity.name, word.text, "")) unknownField(word, entity, report);
    return [];
  }
  const why = whyNotSet(field, operation, entity);
  if (why !== null) {
    report.add("field_not_writable", word.range, `\`${field.name}\` can't be set here.`, why);
    return [];
  }
  const scope = { record: entity.name, operation, ...(operation === "create" ? {} : { bare: "old" as const }) };
  const checked = checkValueRule(value, typeInRules(field.type), scope, context);
  if (checked === null) return [];
  if (someNode(checked, (node) => (node.kind === "field" || node.kind === "each") && node.row === "new")) {
    report.add(
      "row_not_available",
      rangeWithin(value.scalar, source, 0, String(value.source).length),
      "A value is set before the new row exists, so it can't read that row.",
      operation === "create" ? "Read what was sent: `input.title`." : "Read the row before (`old.title`) or `input`.",
    );
    return [];
  }
  if (checked.kind === "literal" && checked.value === null && !field.optional) {
    report.add(
      "type_mismatch",
      value.scalar.range,
      `\`${field.name}\` always has a value, so it can't be set to null.`,
    );
    return [];
  }
  return [{ field: field.name, value: checked }];
}

function whyNotSet(field: Entity["fields"][number], operation: Operation, entity: Shape): string | null {
  if (neverSet.includes(field.name) && (field.writer === "service" || field.name === "id"))
    return "The service alone writes it.";
  if (field.type.kind === "computed" || field.type.kind === "sequence" || field.type.kind === "refs")
    return `A field of the type \`${field.type.kind}\` is not set by a rule.`;
  if (entity.stateMachine?.field === field.name) return "It moves along its transitions only.";
  return operation !== "create" && field.immutable ? "It is set at create only." : null;
}
