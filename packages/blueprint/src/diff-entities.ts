// In: the entities of two models. Out: the changes between them: entities, fields, unique constraints, permissions.
import { type Expression, printExpression } from "@plinth/expression";
import type { Change, Risk } from "./change.ts";
import { diffField, fieldAdded } from "./diff-fields.ts";
import type { Entity, Permission } from "./model.ts";

export function diffEntities(before: readonly Entity[], after: readonly Entity[]): Change[] {
  const old = new Map(before.map((entity) => [entity.name, entity]));
  const kept = new Set(after.map((entity) => entity.name));
  const removed = before.filter((entity) => !kept.has(entity.name));
  return [
    ...after.flatMap((entity) => {
      const was = old.get(entity.name);
      return was === undefined ? [entityAdded(entity)] : diffEntity(was, entity);
    }),
    ...removed.map(
      (entity): Change => ({
        kind: "entity_removed",
        path: entity.name,
        summary: `Remove the entity \`${entity.name}\`, its records and its routes.`,
        risk: "breaking",
        before: entity.plural,
      }),
    ),
  ];
}

/** Its permissions are told in the same sentence: there is no record yet that they could lay open. */
function entityAdded(entity: Entity): Change {
  const fields = entity.fields.filter((field) => field.declared).length;
  const roles = [...new Set(entity.permissions.map((permission) => permission.role))];
  const grants = roles.map((role) => `\`${role}\` may ${whatMay(entity, role)}`);
  const who = grants.length === 0 ? "nobody may use it yet" : grants.join("; ");
  const summary = `Add the entity \`${entity.name}\` with ${fields} field${fields === 1 ? "" : "s"}: ${who}.`;
  return { kind: "entity_added", path: entity.name, summary, risk: "safe", after: entity.plural };
}

/** "create, and read, update where the rule allows": what is bound to a rule is told apart from what is free. */
function whatMay(entity: Entity, role: string): string {
  const own = entity.permissions.filter((permission) => permission.role === role);
  const named = (permissions: readonly Permission[]): string => permissions.map((one) => one.operation).join(", ");
  const free = own.filter(({ rule }) => rule.kind === "literal");
  const bound = own.filter(({ rule }) => rule.kind !== "literal");
  if (free.length === 4) return "do everything";
  const parts = [named(free), bound.length === 0 ? "" : `${named(bound)} where the rule allows`];
  return parts.filter((part) => part !== "").join(", and ");
}

function diffEntity(before: Entity, after: Entity): Change[] {
  return [
    ...diffPlural(before, after),
    ...diffFields(before, after),
    ...diffUniques(before, after),
    ...diffPermissions(before, after),
  ];
}

function diffPlural(before: Entity, after: Entity): Change[] {
  if (before.plural === after.plural) return [];
  const summary = `Move the route and the table of \`${after.name}\` from \`${before.plural}\` to \`${after.plural}\`.`;
  return [
    {
      kind: "entity_changed",
      path: after.name,
      summary,
      risk: "unsupported",
      before: before.plural,
      after: after.plural,
    },
  ];
}

function diffFields(before: Entity, after: Entity): Change[] {
  const old = new Map(before.fields.map((field) => [field.name, field]));
  const kept = new Set(after.fields.map((field) => field.name));
  const removed = before.fields.filter((field) => !kept.has(field.name));
  return [
    ...after.fields.flatMap((field) => {
      const was = old.get(field.name);
      return was === undefined ? [fieldAdded(after.name, field)] : diffField(after.name, was, field);
    }),
    ...removed.map(
      (field): Change => ({
        kind: "field_removed",
        path: `${after.name}.${field.name}`,
        summary: `Remove the field \`${field.name}\` of \`${after.name}\` and what it holds.`,
        risk: "breaking",
      }),
    ),
  ];
}

/** A constraint over a field that is new and optional can't be violated yet; any other could be. */
function diffUniques(before: Entity, after: Entity): Change[] {
  const key = (names: readonly string[]): string => [...names].sort().join(", ");
  const old = new Map(before.uniques.map((names) => [key(names), names]));
  const now = new Map(after.uniques.map((names) => [key(names), names]));
  const stood = new Set(before.fields.map((field) => field.name));
  const isNew = (name: string): boolean =>
    !stood.has(name) && after.fields.some((field) => field.name === name && field.default === null);
  const kept = new Set(after.fields.map((field) => field.name));
  const change = (
    kind: "unique_added" | "unique_removed",
    names: readonly string[],
    summary: string,
    risk: Risk,
  ): Change => ({
    kind,
    path: `${after.name}.unique(${names.join(", ")})`,
    summary,
    risk,
  });
  const added = [...now].filter(([one]) => !old.has(one)).map(([, names]) => names);
  const removed = [...old].filter(([one]) => !now.has(one)).map(([, names]) => names);
  return [
    ...added.map((names) =>
      change(
        "unique_added",
        names,
        `No two records of \`${after.name}\` may share ${quoted(names)}.`,
        names.some(isNew) ? "safe" : "unsupported",
      ),
    ),
    ...removed.map((names) =>
      change(
        "unique_removed",
        names,
        `Records of \`${after.name}\` may share ${quoted(names)} again.`,
        names.every((name) => kept.has(name)) ? "unsupported" : "breaking",
      ),
    ),
  ];
}

function diffPermissions(before: Entity, after: Entity): Change[] {
  const key = (permission: Permission): string => `${permission.role}.${permission.operation}`;
  const old = new Map(before.permissions.map((permission) => [key(permission), permission]));
  const kept = new Set(after.permissions.map(key));
  const changes: Change[] = [];
  for (const permission of after.permissions) {
    const was = old.get(key(permission));
    if (was === undefined) changes.push(permissionAdded(after.name, permission));
    else if (!sameRule(was.rule, permission.rule)) changes.push(permissionChanged(after.name, was, permission));
  }
  for (const permission of before.permissions) {
    if (!kept.has(key(permission))) changes.push(permissionRemoved(after.name, permission));
  }
  return changes;
}

function permissionAdded(entity: string, { role, operation, rule }: Permission): Change {
  const summary = `Let \`${role}\` ${operation} ${recordsWhere(entity, rule)}.`;
  return {
    kind: "permission_added",
    path: pathOf(entity, role, operation),
    summary,
    risk: "loosens_access",
    after: printExpression(rule),
  };
}

/** Whether a changed rule grants more can't be told in general, so it counts as if it did. */
function permissionChanged(entity: string, before: Permission, { role, operation, rule }: Permission): Change {
  return {
    kind: "permission_changed",
    path: pathOf(entity, role, operation),
    summary: `Let \`${role}\` ${operation} ${recordsWhere(entity, rule)}, no longer ${recordsWhere(entity, before.rule)}.`,
    risk: "loosens_access",
    before: printExpression(before.rule),
    after: printExpression(rule),
  };
}

function permissionRemoved(entity: string, { role, operation, rule }: Permission): Change {
  const summary = `No longer let \`${role}\` ${operation} ${recordsWhere(entity, rule)}.`;
  return {
    kind: "permission_removed",
    path: pathOf(entity, role, operation),
    summary,
    risk: "breaking",
    before: printExpression(rule),
  };
}

function pathOf(entity: string, role: string, operation: string): string {
  return `${entity}.permissions.${role}.${operation}`;
}

function recordsWhere(entity: string, rule: Expression): string {
  if (rule.kind === "literal") return `every \`${entity}\``;
  return `a \`${entity}\` where \`${printExpression(rule)}\``;
}

/** The types in a tree follow from the fields, whose changes are told apart: a new enum value changes no rule. */
function sameRule(a: Expression, b: Expression): boolean {
  return printExpression(a) === printExpression(b);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(" and ");
}
