// Checks one permission. In: a declared permission and one operation that it covers. Out: the permission of the model.
// It checks the rule and the options `fields`, `set` and `limit`. Role names are checked before.
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

/** Columns whose values only the service knows, so a rule can't set them. */
const neverSet: readonly string[] = ["id", "version", "created_at", "updated_at", "deleted_at"];

export interface GrantContext extends RuleContext {
  readonly overBothRows: Map<PermissionDeclaration, Expression | null>;
}

/** Operations of an entity, in the order of the model. */
export function operationsOf(entity: Pick<Entity, "softDelete" | "stateMachine">): readonly Operation[] {
  const edges = entity.stateMachine?.edges.map((edge): Operation => `transition:${edge.name}`) ?? [];
  const plainOperations: readonly Operation[] = ["create", "delete", "read", "update"];
  return [...plainOperations, ...(entity.softDelete ? (["restore"] as const) : []), ...edges].sort();
}

export function isTransition(operation: Operation): boolean {
  return operation.startsWith("transition:");
}

/** Null if the rule is wrong, or denies like a missing permission. */
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

/** The rule for an update is also the rule for every transition: `all` over a hundred transitions is checked once. */
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
    report.add("rule_never_true", rangeOf(declared), "This rule can never be true.", "Write `false` if you mean this.");
  } else if (!denies) warnOfOwner(declared, operation, rule, rangeOf(declared), { report });
}

/** A new record has no owner yet, so `create: true` is fine. */
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
    "The role `owner` includes every signed-in user, and this rule doesn't look at the user: it grants every record to all of them.",
    "Compare a field with `current_user.id`, or move the rule to `user` if you mean all users.",
  );
}

function rangeOf({ rules, range }: PermissionDeclaration): Range {
  const [first, last] = [rules[0], rules.at(-1)];
  return first === undefined || last === undefined
    ? range
    : { start: first.scalar.range.start, end: last.scalar.range.end };
}

/** The meaning of `fields` of an `all` for a write: those of them that a caller can write there. */
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

/** Checks the options of a permission once, for all operations that it covers. */
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
    const message = `\`${option}\` has no effect on \`${declared.operation.text}\`.`;
    report.add("option_not_applicable", range, message, `Use it with ${takers[option]}.`);
  }
  if (declared.limit !== null && declared.limit.value > pageMax)
    report.add(
      "invalid_limit",
      declared.limit.range,
      `A page can have at most ${pageMax} records, so a limit of ${declared.limit.value} has no effect.`,
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
    report.add("invalid_rule", range, "The list of `fields` is empty.", "Remove `fields` to allow all of them.");
  const fields = new Map(entity.fields.map((one) => [one.name, one]));
  const seen = new Set<string>();
  for (const word of words) {
    const field = fields.get(word.text);
    if (seen.size === seen.add(word.text).size)
      report.add("duplicate_value", word.range, `\`${word.text}\` is listed twice.`, "Remove one of them.");
    else if (field === undefined) {
      if (!brokenFields.has(word.text)) unknownField(word, entity, report);
    } else if (covered.includes("read")) {
      if (field.internal || field.type.kind === "secret")
        report.add("field_not_readable", word.range, `\`${field.name}\` never leaves the service.`, "Remove it.");
    } else if (covered.some((operation) => takes("fields", operation) && !isWritable(field.name, operation, entity)))
      report.add(
        "field_not_writable",
        word.range,
        `No caller can write \`${field.name}\` here.`,
        field.immutable ? "This field can only be set at create." : "The service writes this field.",
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
      "`set` runs before the new row exists, so it can't read the new row.",
      operation === "create"
        ? "Use the value that was sent: `input.title`."
        : "Use the row before the change (`old.title`) or the input (`input.title`).",
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
    return "Only the service writes this field.";
  if (field.type.kind === "computed" || field.type.kind === "sequence" || field.type.kind === "refs")
    return `\`set\` doesn't support the type \`${field.type.kind}\`.`;
  if (entity.stateMachine?.field === field.name) return "This field only changes through its transitions.";
  return operation !== "create" && field.immutable ? "This field can only be set at create." : null;
}
