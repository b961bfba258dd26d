// Combines permissions and transitions. In: their declarations and the checked entities. Out: for each entity, one rule
// for each role and operation. `grant.ts` checks each grant.
import { countNodes, type Expression, type Schema } from "@plinth/expression";
import type {
  EdgeDeclaration,
  EntityDeclaration,
  PermissionDeclaration,
  RuleDeclaration,
} from "../../declarations/declarations.ts";
import { hintForOperation, hintForRole, listed } from "../../declarations/foreign-words.ts";
import type { Field, ModuleName, Operation, Permission } from "../../model/model.ts";
import { USER_ENTITY } from "../../modules/users.ts";
import { expressionSchema } from "../../rules/expression-schema.ts";
import type { PlaceTable } from "../../text/places.ts";
import type { Report } from "../../text/report.ts";
import { suggestFor } from "../../text/suggestions.ts";
import type { Range, Word } from "../../text/syntax.ts";
import type { CheckedEntity } from "../entities/entity-draft.ts";
import { checkUserPermission } from "../users.ts";
import { allOf } from "./all-of.ts";
import { checkGrant, checkOptions, type GrantContext, isTransition, operationsOf, warnOfOwner } from "./grant.ts";
import { builtinGrants, eitherOf, grantsOver } from "./granted.ts";
import { checkRules, type RuleContext } from "./rule-source.ts";

export interface PermissionContext {
  readonly entities: readonly CheckedEntity[];
  readonly declaredEntities: readonly EntityDeclaration[];
  readonly userFields: readonly Field[];
  /** The built-in `user`. A blueprint can say who can read it. */
  readonly users: CheckedEntity;
  readonly modules: ReadonlySet<ModuleName>;
  readonly roles: ReadonlySet<string>;
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

/**
 * The maximum that a short line can expand to: `all` over a hundred transitions, or a named rule written out. All later
 * stages process each grant and each part of its rule: they compile, compare and prove them.
 */
export const GRANTS_MAX = 10_000;
export const RULE_PARTS_MAX = 100_000;

const operationWords: readonly string[] = ["create", "read", "update", "delete"];

/** One entity with its declared permissions. */
interface Subject {
  readonly checked: CheckedEntity;
  readonly declared: readonly PermissionDeclaration[];
  /** `role operation` for each of them. */
  readonly named: ReadonlySet<string>;
  readonly edges: ReadonlyMap<string, EdgeDeclaration>;
}

export function checkPermissions(
  declared: readonly PermissionDeclaration[],
  context: PermissionContext,
): CheckedPermissions {
  const all = [...context.entities, context.users];
  const entities = new Map(all.map((one) => [one.entity.name, one]));
  const known = declared.filter((one) => checkNames(one, entities, context));
  refuseTwoPlaces(known, context.report);
  const subjects = subjectsOf(known, context);
  // A rule of one entity can use the rules of another (`can`), so each one is checked when it is first needed.
  const checked = new Map<string, readonly Permission[]>();
  const open = new Set<string>();
  const left = { grants: GRANTS_MAX, parts: RULE_PARTS_MAX };
  const permissionsFor = (subject: Subject, operation: Operation): readonly Permission[] | null => {
    const key = `${subject.checked.entity.name} ${operation}`;
    const done = checked.get(key);
    if (done !== undefined) return done;
    if (open.has(key)) return null;
    open.add(key);
    const within = left.grants >= 0 && left.parts >= 0;
    const granted = within ? permissionsOf(subject, operation, ruleContext) : [];
    const found = bounded(subject, granted, left, context.report);
    open.delete(key);
    checked.set(key, found);
    return found;
  };
  const schema = expressionSchema({
    entities: context.entities.map((one) => one.entity),
    userFields: context.userFields,
    roles: [...context.roles],
    rules: context.rules,
    grants(record, operation) {
      const builtin = builtinGrants(record, operation);
      if (builtin !== null && (record !== USER_ENTITY || operation !== "read")) return builtin;
      const subject = subjects.get(record);
      const entity = subject?.checked.entity;
      const wanted = entity === undefined ? undefined : operationsOf(entity).find((one) => one === operation);
      if (subject === undefined || entity === undefined || wanted === undefined) return new Map();
      const found = permissionsFor(subject, wanted);
      if (found === null) return null;
      const granted = grantsOver(found, entity.orgField, context.places);
      return builtin === null ? granted : eitherOf(builtin, granted);
    },
  });
  const broken = all.filter((one) => one.brokenFields.size > 0);
  const ruleContext: GrantContext = {
    schema,
    source: context.source,
    report: context.report,
    places: context.places,
    rulesUsed: new Set(),
    modules: context.modules,
    overBothRows: new Map(),
    isBroken: (record, name, message) => isBroken(record, name, message, broken),
  };
  const permissions = [...subjects.values()].map((subject): [string, readonly Permission[]] => {
    const operations = operationsOf(subject.checked.entity);
    for (const one of subject.declared) {
      const covered = operations.filter((operation) => covers(one, operation, subject));
      checkOptions(one, covered, subject.checked, context.pageMax, ruleContext);
    }
    const granted = operations.flatMap((operation) => permissionsFor(subject, operation) ?? []);
    return [subject.checked.entity.name, granted];
  });
  return { permissions: new Map(permissions), schema, rulesUsed: ruleContext.rulesUsed };
}

/** Drops all grants after the maximum, and reports it once. */
function bounded(
  { declared }: Subject,
  granted: readonly Permission[],
  left: { grants: number; parts: number },
  report: Report,
): readonly Permission[] {
  const wasWithin = left.grants >= 0 && left.parts >= 0;
  left.grants -= granted.length;
  left.parts -= granted.reduce((sum, { rule }) => sum + countNodes(rule), 0);
  if (left.grants >= 0 && left.parts >= 0) return granted;
  const [first] = declared;
  if (wasWithin && first !== undefined) {
    const [what, hint] =
      left.grants < 0
        ? [`${GRANTS_MAX} grants (one for each role and operation)`, "List the operations instead of `all`."]
        : [
            `${RULE_PARTS_MAX} parts of rules (with each named rule written out)`,
            "Use shorter rules, or give long rules to fewer roles.",
          ];
    report.add("too_many", first.range, `From here on, the blueprint has more than ${what}.`, hint);
  }
  return [];
}

function subjectsOf(
  known: readonly PermissionDeclaration[],
  { entities, users, declaredEntities }: PermissionContext,
): ReadonlyMap<string, Subject> {
  const byEntity = Map.groupBy(known, (one) => one.entity.text);
  const transitions = new Map(declaredEntities.map((one) => [one.name.text, one.transitions]));
  return new Map(
    [...entities, users].map((checked): [string, Subject] => {
      const { name, stateMachine } = checked.entity;
      const declared = byEntity.get(name) ?? [];
      const machine = transitions.get(name)?.find((one) => one.field.text === stateMachine?.field);
      const edges = machine?.edges.map((edge): [string, EdgeDeclaration] => [`transition:${edge.name.text}`, edge]);
      const named = new Set(declared.map((one) => `${one.role.text} ${one.operation.text}`));
      return [name, { checked, declared, named, edges: new Map(edges) }];
    }),
  );
}

/** `all` means every operation. An operation next to it has its own rule instead. */
function covers(
  { role, operation: { text } }: PermissionDeclaration,
  operation: Operation,
  { named }: Subject,
): boolean {
  return text === "all" ? !named.has(`${role.text} ${operation}`) : text === operation;
}

function permissionsOf(subject: Subject, operation: Operation, context: GrantContext): readonly Permission[] {
  const { checked, declared } = subject;
  const edge = isTransition(operation) ? (subject.edges.get(operation) ?? null) : null;
  const own = edge === null ? [] : permissionsOfEdge(edge, subject, operation, context);
  const ownRoles = new Set(own.map((one) => one.role));
  // A transition without roles is for everybody with the permission, with its condition.
  const guard =
    edge === null || edge.roles !== null || edge.when === null
      ? null
      : checkWhen(edge.when, checked, operation, context);
  const granted = declared
    .filter((one) => covers(one, operation, subject) && !ownRoles.has(one.role.text))
    .flatMap((one) => checkGrant(one, operation, checked.entity, context) ?? [])
    .map((permission) => (guard === null ? permission : { ...permission, rule: allOf([guard, permission.rule]) }));
  return [...own, ...granted].sort((a, b) => (a.role < b.role ? -1 : 1));
}

/** The condition of a transition uses the row before the change. */
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
  { checked, named }: Subject,
  operation: Operation,
  context: RuleContext,
): readonly Permission[] {
  const always: Expression = { kind: "literal", type: { kind: "bool" }, value: true };
  const rule = edge.when === null ? always : checkWhen(edge.when, checked, operation, context);
  const seen = new Set<string>();
  const roles = new Set(context.schema.roles);
  return (edge.roles ?? []).flatMap((role): Permission[] => {
    const twice = named.has(`${role.text} ${operation}`);
    if (twice) refuseTwice(role, `\`${role.text}\` gets \`${operation}\` here and in the permissions.`, context.report);
    else if (seen.has(role.text))
      context.report.add("duplicate_value", role.range, `\`${role.text}\` is listed twice.`, "Remove one of them.");
    seen.add(role.text);
    if (!checkRole(role, roles, context.report) || rule === null) return [];
    warnOfOwner({ role }, operation, rule, role.range, context);
    return [{ role: role.text, operation, rule, fields: null, set: [], limit: null }];
  });
}

function checkNames(
  declared: PermissionDeclaration,
  entities: ReadonlyMap<string, CheckedEntity>,
  { roles, report }: PermissionContext,
): boolean {
  const { entity, role, operation } = declared;
  const found = entities.get(entity.text);
  if (found === undefined) {
    const message = `There is no entity \`${entity.text}\`.`;
    report.add("unknown_entity", entity.range, message, suggestFor(entity.text, entities.keys(), report));
  }
  if (!roles.has(role.text) && (operationWords.includes(role.text) || hintForOperation(role.text) !== null)) {
    const message = `\`${role.text}\` is an operation; a role is expected here.`;
    const example = operation.text === "" ? "user" : operation.text;
    report.add("unknown_role", role.range, message, `Write the role first: \`${example}: { ${role.text}: ... }\`.`);
    return false;
  }
  const roleIsFine = checkRole(role, roles, report);
  const fine = found === undefined ? true : checkOperation(operation, found, report);
  const ofUsers = entity.text !== USER_ENTITY || !roleIsFine || !fine || checkUserPermission(declared, report);
  return found !== undefined && roleIsFine && fine && ofUsers;
}

export function checkRole(role: Word, roles: ReadonlySet<string>, report: Report): boolean {
  if (roles.has(role.text)) return true;
  const hint =
    hintForRole(role.text) ??
    suggestFor(role.text, roles, report) ??
    `Declare it with \`roles: { ${role.text}: {} }\`, or use one of: ${listed([...roles])}.`;
  report.add("unknown_role", role.range, `There is no role \`${role.text}\`.`, hint);
  return false;
}

/** Whether the entity has this operation. Reports what is missing if not. */
export function checkOperation({ text, range }: Word, { entity }: CheckedEntity, report: Report): boolean {
  const operations = operationsOf(entity);
  if (text === "all" || operations.some((one) => one === text)) return true;
  if (text === "restore") {
    report.add(
      "restore_without_soft_delete",
      range,
      `A deleted \`${entity.name}\` is gone for good, so it can't be restored.`,
      "Add `soft_delete: true` to the entity.",
    );
  } else if (text.startsWith("transition:")) {
    const edges = entity.stateMachine?.edges.map((edge) => `transition:${edge.name}`) ?? [];
    const hint = suggestFor(text, edges, report) ?? "Declare it under `transitions`.";
    report.add("unknown_transition", range, `\`${entity.name}\` has no transition \`${text.slice(11)}\`.`, hint);
  } else {
    const words = [...operations, "all"];
    const hint = hintForOperation(text) ?? suggestFor(text, words, report) ?? `Known operations: ${listed(words)}.`;
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
      const message = `The permissions of \`${role.text}\` on \`${entity.text}\` are declared twice: in the entity and at the top level.`;
      refuseTwice(role, message, report);
    }
  }
}

function refuseTwice({ range }: { readonly range: Range }, message: string, report: Report): void {
  report.add("permission_twice", range, message, "Keep them in one place.");
}

/** Whether a rule uses a field with a wrong declaration, which is reported already. */
function isBroken(record: string, name: string, message: string, entities: readonly CheckedEntity[]): boolean {
  return entities.some(
    (one) =>
      (message.includes(`\`${one.entity.name}\``) || one.entity.name === record) &&
      (one.brokenFields.has(name) || one.brokenFields.has(`${name}_id`)),
  );
}
