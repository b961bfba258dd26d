// In: the declared permissions, transitions and the checked entities. Out: per entity, one rule a role and operation.
// Lays together what the permissions say and what the transitions do; each grant is checked in `grant.ts`.
import { didYouMean, type Expression, type Schema } from "@plinth/expression";
import type { EdgeDeclaration, EntityDeclaration, PermissionDeclaration, RuleDeclaration } from "../declarations.ts";
import { expressionSchema } from "../expression-schema.ts";
import type { Field, ModuleName, Operation, Permission } from "../model.ts";
import type { PlaceTable } from "../places.ts";
import type { Report } from "../report.ts";
import type { Range, Word } from "../syntax.ts";
import { allOf } from "./all-of.ts";
import type { CheckedEntity } from "./entities.ts";
import { checkGrant, checkOptions, isTransition, operationsOf, warnOfOwner } from "./grant.ts";
import { builtinGrants, grantsOver } from "./granted.ts";
import { checkRules, type RuleContext } from "./rule-source.ts";

export interface PermissionContext {
  readonly entities: readonly CheckedEntity[];
  readonly declaredEntities: readonly EntityDeclaration[];
  readonly userFields: readonly Field[];
  readonly modules: ReadonlySet<ModuleName>;
  readonly roles: readonly string[];
  readonly rules: ReadonlyMap<string, string>;
  readonly pageMax: number;
  readonly source: string;
  readonly report: Report;
  readonly places: PlaceTable;
}

export interface CheckedPermissions {
  /** By the entity's name; sorted by operation, then role. */
  readonly permissions: ReadonlyMap<string, readonly Permission[]>;
  readonly schema: Schema;
  /** The named rules that any rule uses. */
  readonly rulesUsed: Set<string>;
}

export function checkPermissions(
  declared: readonly PermissionDeclaration[],
  context: PermissionContext,
): CheckedPermissions {
  const known = declared.filter((one) => checkNames(one, context));
  refuseTwoPlaces(known, context.report);
  const byEntity = Map.groupBy(known, (one) => one.entity.text);
  // Rules of one entity may ask for another's (`can`): each is checked when it is first asked for.
  const checked = new Map<string, readonly Permission[]>();
  const open = new Set<string>();
  const permissionsFor = (entity: CheckedEntity, operation: Operation): readonly Permission[] | null => {
    const key = `${entity.entity.name} ${operation}`;
    const done = checked.get(key);
    if (done !== undefined) return done;
    if (open.has(key)) return null;
    open.add(key);
    const found = permissionsOf(entity, operation, byEntity.get(entity.entity.name) ?? [], context, ruleContext);
    open.delete(key);
    checked.set(key, found);
    return found;
  };
  const schema = expressionSchema({
    entities: context.entities.map((one) => one.entity),
    userFields: context.userFields,
    roles: context.roles,
    rules: context.rules,
    grants(record, operation) {
      const builtin = builtinGrants(record, operation);
      if (builtin !== null) return builtin;
      const entity = context.entities.find((one) => one.entity.name === record);
      const wanted = entity === undefined ? undefined : operationsOf(entity.entity).find((one) => one === operation);
      if (entity === undefined || wanted === undefined) return new Map();
      const found = permissionsFor(entity, wanted);
      return found === null ? null : grantsOver(found, entity.entity.orgField, context.places);
    },
  });
  const ruleContext: RuleContext = {
    schema,
    source: context.source,
    report: context.report,
    places: context.places,
    rulesUsed: new Set(),
    modules: context.modules,
    isBroken: (record, name, message) => isBroken(record, name, message, context.entities),
  };
  for (const entity of context.entities) {
    const own = byEntity.get(entity.entity.name) ?? [];
    for (const one of own) checkOptions(one, coveredBy(one, entity, own), entity, context.pageMax, ruleContext);
  }
  const permissions = context.entities.map((entity): [string, readonly Permission[]] => [
    entity.entity.name,
    operationsOf(entity.entity).flatMap((operation) => permissionsFor(entity, operation) ?? []),
  ]);
  return { permissions: new Map(permissions), schema, rulesUsed: ruleContext.rulesUsed };
}

/** `all` is every operation; an operation that stands beside it has its own rule instead. */
function coveredBy(
  declared: PermissionDeclaration,
  { entity }: CheckedEntity,
  ofEntity: readonly PermissionDeclaration[],
): readonly Operation[] {
  const beside = new Set(
    ofEntity.filter((one) => one.role.text === declared.role.text).map((one) => one.operation.text),
  );
  return operationsOf(entity).filter((operation) =>
    declared.operation.text === "all" ? !beside.has(operation) : operation === declared.operation.text,
  );
}

function permissionsOf(
  checked: CheckedEntity,
  operation: Operation,
  declared: readonly PermissionDeclaration[],
  context: PermissionContext,
  ruleContext: RuleContext,
): readonly Permission[] {
  const edge = edgeOf(checked, operation, context.declaredEntities);
  const own = edge === null ? [] : permissionsOfEdge(edge, checked, operation, declared, ruleContext);
  // An edge that names no roles is for whoever has the permission: its condition is theirs too.
  const guard =
    edge === null || edge.roles !== null || edge.when === null
      ? null
      : checkWhen(edge.when, checked, operation, ruleContext);
  const granted = declared
    .filter((one) => coveredBy(one, checked, declared).includes(operation))
    .filter((one) => !own.some((permission) => permission.role === one.role.text))
    .flatMap((one) => checkGrant(one, operation, checked.entity, ruleContext) ?? [])
    .map((permission) => (guard === null ? permission : { ...permission, rule: allOf([guard, permission.rule]) }));
  return [...own, ...granted].sort((a, b) => (a.role < b.role ? -1 : 1));
}

function edgeOf(
  { entity }: CheckedEntity,
  operation: Operation,
  entities: readonly EntityDeclaration[],
): EdgeDeclaration | null {
  if (!isTransition(operation)) return null;
  const declared = entities.find((one) => one.name.text === entity.name);
  const machine = declared?.transitions.find((one) => one.field.text === entity.stateMachine?.field);
  return machine?.edges.find((edge) => `transition:${edge.name.text}` === operation) ?? null;
}

/** The condition of an edge is judged on the row as it was before. */
function checkWhen(
  when: readonly RuleDeclaration[],
  { entity }: CheckedEntity,
  operation: Operation,
  context: RuleContext,
): Expression | null {
  return checkRules(when, [], { record: entity.name, operation, bare: "old" }, context);
}

function permissionsOfEdge(
  edge: EdgeDeclaration,
  checked: CheckedEntity,
  operation: Operation,
  declared: readonly PermissionDeclaration[],
  context: RuleContext,
): readonly Permission[] {
  const always: Expression = { kind: "literal", type: { kind: "bool" }, value: true };
  const rule = edge.when === null ? always : checkWhen(edge.when, checked, operation, context);
  const seen = new Set<string>();
  return (edge.roles ?? []).flatMap((role): Permission[] => {
    const twice = declared.some((one) => one.role.text === role.text && one.operation.text === operation);
    if (twice)
      refuseTwice(role, `\`${role.text}\` is given \`${operation}\` here and in the permissions.`, context.report);
    else if (seen.has(role.text))
      context.report.add("duplicate_value", role.range, `\`${role.text}\` stands here twice.`, "Remove one of them.");
    seen.add(role.text);
    if (!checkRole(role, context.schema.roles, context.report) || rule === null) return [];
    warnOfOwner({ role }, operation, rule, role.range, context);
    return [{ role: role.text, operation, rule, fields: null, set: [], limit: null }];
  });
}

function checkNames(
  { entity, role, operation }: PermissionDeclaration,
  { entities, roles, report }: PermissionContext,
): boolean {
  const found = entities.find((one) => one.entity.name === entity.text);
  if (found === undefined) {
    const names = entities.map((one) => one.entity.name);
    const message = `There is no entity \`${entity.text}\`.`;
    report.add("unknown_entity", entity.range, message, didYouMean(entity.text, names));
  }
  const roleIsFine = checkRole(role, roles, report);
  const fine = found === undefined ? true : checkOperation(operation, found, report);
  return found !== undefined && roleIsFine && fine;
}

export function checkRole(role: Word, roles: readonly string[], report: Report): boolean {
  if (roles.includes(role.text)) return true;
  const hint = didYouMean(role.text, roles) ?? "Declare it under `roles`.";
  report.add("unknown_role", role.range, `There is no role \`${role.text}\`.`, hint);
  return false;
}

/** Whether the entity has this operation; says what is missing where it has not. */
export function checkOperation({ text, range }: Word, { entity }: CheckedEntity, report: Report): boolean {
  const operations = operationsOf(entity);
  if (text === "all" || operations.some((one) => one === text)) return true;
  if (text === "restore") {
    report.add(
      "restore_without_soft_delete",
      range,
      `\`${entity.name}\` is deleted for good, so nothing of it can be restored.`,
      "Add `soft_delete: true` to the entity.",
    );
  } else if (text.startsWith("transition:")) {
    const edges = entity.stateMachine?.edges.map((edge) => `transition:${edge.name}`) ?? [];
    const hint = didYouMean(text, edges) ?? "Declare it under `transitions`.";
    report.add("unknown_transition", range, `\`${entity.name}\` has no transition \`${text.slice(11)}\`.`, hint);
  } else {
    const words = [...operations, "all"];
    const hint = didYouMean(text, words) ?? `There are: ${words.join(", ")}.`;
    report.add("unknown_operation", range, `There is no operation \`${text}\`.`, hint);
  }
  return false;
}

function refuseTwoPlaces(declared: readonly PermissionDeclaration[], report: Report): void {
  const inEntity = new Set(
    declared.filter((one) => one.place === "entity").map((one) => `${one.entity.text} ${one.role.text}`),
  );
  for (const { place, entity, role } of declared) {
    if (place === "top" && inEntity.has(`${entity.text} ${role.text}`)) {
      const message = `The permissions of \`${role.text}\` on \`${entity.text}\` stand in the entity and at the top level.`;
      refuseTwice(role, message, report);
    }
  }
}

function refuseTwice({ range }: { readonly range: Range }, message: string, report: Report): void {
  report.add("permission_twice", range, message, "Keep them in one place.");
}

/** Whether a rule names a field whose own declaration is wrong: that is said there already. */
function isBroken(record: string, name: string, message: string, entities: readonly CheckedEntity[]): boolean {
  return entities.some(
    (one) =>
      (message.includes(`\`${one.entity.name}\``) || one.entity.name === record) &&
      (one.brokenFields.has(name) || one.brokenFields.has(`${name}_id`)),
  );
}
