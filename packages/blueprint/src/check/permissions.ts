// In: the declared permissions and the checked entities. Out: per entity, one rule a role and operation.
import { checkRule, didYouMean, mentionsUser, type Problem, type RuleOperation, type Schema } from "@plinth/expression";
import type { PermissionDeclaration } from "../declarations.ts";
import { notSupportedYet } from "../expect.ts";
import { expressionSchema } from "../expression-schema.ts";
import type { Permission } from "../model.ts";
import type { Report } from "../report.ts";
import { type Range, rangeWithin } from "../syntax.ts";
import type { CheckedEntity } from "./entities.ts";

const operations: readonly RuleOperation[] = ["create", "delete", "read", "update"];
const operationWords: readonly string[] = [...operations, "all"];

export interface PermissionContext {
  readonly entities: readonly CheckedEntity[];
  readonly roles: readonly string[];
  readonly source: string;
  readonly report: Report;
}

export function checkPermissions(
  declared: readonly PermissionDeclaration[],
  context: PermissionContext,
): ReadonlyMap<string, readonly Permission[]> {
  const schema = expressionSchema({
    entities: context.entities.map((one) => one.entity),
    userFields: [],
    roles: context.roles,
    rules: new Map(),
    grants: () => new Map(),
  });
  const known = declared.filter((one) => checkNames(one, context));
  refuseTwoPlaces(known, context.report);
  const result = new Map<string, readonly Permission[]>();
  for (const { entity } of context.entities) {
    const own = known.filter((one) => one.entity.text === entity.name);
    result.set(entity.name, permissionsOf(own, schema, context));
  }
  return result;
}

function checkNames(
  { entity, role, operation }: PermissionDeclaration,
  { entities, roles, report }: PermissionContext,
): boolean {
  const names = entities.map((one) => one.entity.name);
  const before = [names.includes(entity.text), roles.includes(role.text), operationWords.includes(operation.text)];
  if (!before[0])
    report.add(
      "unknown_entity",
      entity.range,
      `There is no entity \`${entity.text}\`.`,
      didYouMean(entity.text, names),
    );
  if (!before[1]) {
    const hint = didYouMean(role.text, roles) ?? "Declare it under `roles`.";
    report.add("unknown_role", role.range, `There is no role \`${role.text}\`.`, hint);
  }
  if (!before[2]) {
    if (operation.text === "restore" || operation.text.startsWith("transition:"))
      notSupportedYet(report, operation.range, `the operation \`${operation.text}\``);
    else {
      const hint = didYouMean(operation.text, operationWords) ?? `There are: ${operationWords.join(", ")}.`;
      report.add("unknown_operation", operation.range, `There is no operation \`${operation.text}\`.`, hint);
    }
  }
  return before.every((fine) => fine);
}

function refuseTwoPlaces(declared: readonly PermissionDeclaration[], report: Report): void {
  const inEntity = new Set(
    declared.filter((one) => one.place === "entity").map((one) => `${one.entity.text} ${one.role.text}`),
  );
  for (const one of declared) {
    if (one.place === "top" && inEntity.has(`${one.entity.text} ${one.role.text}`)) {
      report.add(
        "permission_twice",
        one.role.range,
        `The permissions of \`${one.role.text}\` on \`${one.entity.text}\` stand in the entity and at the top level.`,
        "Keep them in one place.",
      );
    }
  }
}

/** `all` is every operation; an operation that stands beside it has its own rule instead. */
function permissionsOf(
  declared: readonly PermissionDeclaration[],
  schema: Schema,
  context: PermissionContext,
): readonly Permission[] {
  const permissions: Permission[] = [];
  for (const one of declared) {
    const named = new Set(
      declared.filter((other) => other.role.text === one.role.text).map((other) => other.operation.text),
    );
    const covered = operations.filter((operation) =>
      one.operation.text === "all" ? !named.has(operation) : operation === one.operation.text,
    );
    for (const operation of covered) {
      const rule = checkOne(one, operation, schema, context);
      // `false` denies, as does saying nothing.
      if (rule !== null && !(rule.kind === "literal" && rule.value === false))
        permissions.push({ role: one.role.text, operation, rule, fields: null, set: [], limit: null });
    }
  }
  return permissions.sort((a, b) => compare(a.operation, b.operation) || compare(a.role, b.role));
}

function checkOne(
  declared: PermissionDeclaration,
  operation: RuleOperation,
  schema: Schema,
  context: PermissionContext,
): Permission["rule"] | null {
  const { report, source } = context;
  const checked = checkRule(
    declared.rules.map((rule) => rule.source),
    { schema, record: declared.entity.text, operation },
  );
  for (const problem of checked.problems) {
    const rule = declared.rules[problem.item];
    if (rule === undefined || blamesBrokenField(problem, String(rule.source), declared.entity.text, context)) continue;
    report.add(
      problem.code,
      rangeWithin(rule.scalar, source, problem.start, problem.end),
      problem.message,
      problem.hint,
    );
  }
  if (checked.expression !== null && ownerWithoutUser(declared, operation, checked.expression)) {
    report.add(
      "owner_without_user",
      rangeOf(declared),
      "`owner` is every signed-in user, and this rule does not ask who: it grants every record to all of them.",
      "Compare a field with `current_user.id`, or grant it to `user` if that is meant.",
    );
  }
  return checked.expression;
}

/** A record that is being created has no owner yet, so `create: true` asks nothing more. */
function ownerWithoutUser(
  { role }: PermissionDeclaration,
  operation: RuleOperation,
  rule: Permission["rule"],
): boolean {
  if (role.text !== "owner" || operation === "create") return false;
  return !mentionsUser(rule) && !(rule.kind === "literal" && rule.value === false);
}

function rangeOf({ rules, range }: PermissionDeclaration): Range {
  const [first, last] = [rules[0], rules.at(-1)];
  return first === undefined || last === undefined
    ? range
    : { start: first.scalar.range.start, end: last.scalar.range.end };
}

function blamesBrokenField(problem: Problem, text: string, entity: string, { entities }: PermissionContext): boolean {
  if (problem.code !== "unknown_name") return false;
  const name = text.slice(problem.start, problem.end);
  return entities.some(
    (one) =>
      (problem.message.includes(`\`${one.entity.name}\``) || one.entity.name === entity) &&
      (one.brokenFields.has(name) || one.brokenFields.has(`${name}_id`)),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
