// Translates a model. In: two models. Out: the first in the words of the second: everything that was renamed has its
// new name everywhere, including in rules, so that the rest can be compared by name. A name in a rule that means
// something else now gets a mark after it.
import type { Expression } from "@plinth/expression";
import type { Entity, Field, FieldType, Model, ObjectMember, Permission, Relation } from "../model/model.ts";
import { USER_ENTITY, userRelations } from "../modules/users.ts";
import { targetOf } from "../rules/expression-schema.ts";
import { alignBackground } from "./align-background.ts";
import type { Names, Rename } from "./names.ts";
import { type Matches, matchByName } from "./renames.ts";

/** The mark after a name that means something else now; no name in a blueprint ends with it. */
const ELSEWHERE = "~";

export interface Alignment {
  /** The first model, in the words of the second. */
  readonly before: Model;
  readonly entities: Matches<Entity>;
}

export function align(before: Model, after: Model): Alignment {
  const entities = matchByName(before.entities, after.entities);
  const names = namesOf(before, after, entities);
  const rename = createRenamer(before, after, names);
  const ofUsers = (list: readonly string[]): readonly string[] => list.map((old) => names.field(USER_ENTITY, old));
  const aligned: Model = {
    ...before,
    userFields: before.userFields.map((field) => alignField("user", field, names, rename)),
    ...(before.userPermissions === undefined
      ? {}
      : {
          userPermissions: before.userPermissions.map((permission) =>
            alignPermission(USER_ENTITY, permission, (old) => names.field(USER_ENTITY, old), rename),
          ),
        }),
    ...(before.userUniques && { userUniques: before.userUniques.map(ofUsers) }),
    ...(before.userIndexes && { userIndexes: before.userIndexes.map(ofUsers) }),
    entities: before.entities.map((entity) => alignEntity(entity, names, rename)),
    background: alignBackground(before.background, names, rename),
  };
  return { before: aligned, entities };
}

function namesOf(before: Model, after: Model, entities: Matches<Entity>): Names {
  const renamedEntities = new Map(entities.kept.map((pair) => [pair.before.name, pair.after.name]));
  const fields = new Map<string, ReadonlyMap<string, string>>([
    ["user", fieldNames(before.userFields, after.userFields)],
  ]);
  for (const pair of entities.kept) fields.set(pair.before.name, fieldNames(pair.before.fields, pair.after.fields));
  return {
    entity: (old) => renamedEntities.get(old) ?? old,
    field: (entity, old) => fields.get(entity)?.get(old) ?? old,
  };
}

function fieldNames(before: readonly Field[], after: readonly Field[]): ReadonlyMap<string, string> {
  return new Map(matchByName(before, after).kept.map((pair) => [pair.before.name, pair.after.name]));
}

function alignEntity(entity: Entity, names: Names, rename: Rename): Entity {
  const field = (old: string): string => names.field(entity.name, old);
  const { stateMachine: machine } = entity;
  return {
    ...entity,
    name: names.entity(entity.name),
    fields: entity.fields.map((one) => alignField(entity.name, one, names, rename)),
    uniques: entity.uniques.map((list) => list.map(field)),
    indexes: entity.indexes.map((list) => list.map(field)),
    checks: entity.checks.map((check) => ({ ...check, condition: rename(check.condition, entity.name) })),
    ...(entity.exclusions && {
      exclusions: entity.exclusions.map((one) => ({
        ...one,
        same: one.same.map(field),
        from: field(one.from),
        to: field(one.to),
        where: one.where === null ? null : rename(one.where, entity.name),
      })),
    }),
    ...(entity.lock !== undefined && { lock: field(entity.lock) }),
    relations: entity.relations.map((relation) => alignRelation(entity.name, relation, names)),
    orgField: entity.orgField === null ? null : field(entity.orgField),
    stateMachine:
      machine === null
        ? null
        : {
            ...machine,
            field: field(machine.field),
            edges: machine.edges.map((edge) => ({ ...edge, require: edge.require.map(field) })),
          },
    ...(entity.views && {
      views: entity.views.map((view) => ({
        ...view,
        where: rename(view.where, entity.name),
        sort: view.sort.map((key) => ({ ...key, field: field(key.field) })),
      })),
    }),
    seed: entity.seed.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [field(name), value])),
    ),
    permissions: entity.permissions.map((permission) => alignPermission(entity.name, permission, field, rename)),
  };
}

function alignPermission(
  entity: string,
  permission: Permission,
  field: (old: string) => string,
  rename: Rename,
): Permission {
  return {
    ...permission,
    rule: rename(permission.rule, entity),
    fields: permission.fields?.map(field) ?? null,
    set: permission.set.map((one) => ({ field: field(one.field), value: rename(one.value, entity) })),
  };
}

function alignField(entity: string, field: Field, names: Names, rename: Rename): Field {
  const type = alignType(
    field.type,
    names,
    (old) => names.field(entity, old),
    (rule) => rename(rule, entity),
  );
  return { ...field, name: names.field(entity, field.name), type };
}

function alignType(
  type: FieldType,
  names: Names,
  field: (old: string) => string,
  rename: (rule: Expression) => Expression,
): FieldType {
  switch (type.kind) {
    case "ref":
    case "refs":
      return { ...type, entity: names.entity(type.entity) };
    case "slug":
      return { ...type, from: type.from === null ? null : field(type.from) };
    case "computed":
      return { ...type, expression: rename(type.expression) };
    case "list":
    case "i18n":
      return { ...type, of: alignType(type.of, names, field, rename) };
    case "object": {
      const member = (one: ObjectMember): ObjectMember => ({ ...one, type: alignType(one.type, names, field, rename) });
      return { ...type, fields: type.fields.map(member) };
    }
    default:
      return type;
  }
}

function alignRelation(entity: string, relation: Relation, names: Names): Relation {
  const owner = relation.by.kind === "refs" ? entity : relation.entity;
  return {
    ...relation,
    entity: names.entity(relation.entity),
    by: { ...relation.by, field: names.field(owner, relation.by.field) },
  };
}

/** A relation identified by its fields, whatever its name. */
export function relationKey({ entity, by }: Relation): string {
  return `${by.kind} ${entity} ${by.field}`;
}

/** Rewrites a rule of an entity, which is given by its old name. */
function createRenamer(before: Model, after: Model, names: Names): Rename {
  const old = new Map(before.entities.map((entity) => [entity.name, entity]));
  const now = new Map(after.entities.map((entity) => [entity.name, entity]));
  const fieldsOf = (model: ReadonlyMap<string, Entity>, profile: readonly Field[], entity: string): readonly Field[] =>
    entity === "user" ? profile : (model.get(entity)?.fields ?? []);
  const find = (fields: readonly Field[], name: string): Field | undefined => fields.find((one) => one.name === name);

  /** The path in new names, and the entity (by its old name) that it leads to. */
  function follow(entity: string, path: readonly string[], toRecord: boolean): { path: string[]; entity: string } {
    const result: string[] = [];
    let at = entity;
    for (const [index, name] of path.entries()) {
      const moved = names.field(at, name);
      const field = find(fieldsOf(old, before.userFields, at), name);
      const target = field === undefined ? null : targetOf(field.type);
      const successor = find(fieldsOf(now, after.userFields, names.entity(at)), moved);
      const leads = successor === undefined ? null : targetOf(successor.type);
      const through = toRecord || index < path.length - 1;
      const elsewhere =
        through && successor !== undefined && (target === null ? leads !== null : names.entity(target) !== leads);
      result.push(elsewhere ? moved + ELSEWHERE : moved);
      at = target ?? "";
    }
    return { path: result, entity: at };
  }

  const relationsOf = (model: Model, entities: ReadonlyMap<string, Entity>, entity: string): readonly Relation[] =>
    entity === USER_ENTITY ? userRelations(model.entities) : (entities.get(entity)?.relations ?? []);

  function relation(entity: string, name: string): string {
    const was = relationsOf(before, old, entity).find((one) => one.name === name);
    if (was === undefined) return name + ELSEWHERE;
    const key = relationKey(alignRelation(entity, was, names));
    const successor = relationsOf(after, now, names.entity(entity)).find((one) => relationKey(one) === key);
    return successor?.name ?? name + ELSEWHERE;
  }

  function rename(rule: Expression, rows: ReadonlyMap<string, string>, entity: string): Expression {
    const onRow = (row: string): string => rows.get(row) ?? entity;
    switch (rule.kind) {
      case "literal":
      case "user":
        return rule.kind === "user" ? { ...rule, name: names.field("user", rule.name) } : rule;
      case "context":
      case "value":
        return rule;
      case "list":
        return { ...rule, items: rule.items.map((one) => rename(one, rows, entity)) };
      case "operation":
        return { ...rule, args: rule.args.map((one) => rename(one, rows, entity)) };
      case "field":
        return { ...rule, path: follow(onRow(rule.row), rule.path, false).path };
      case "sent":
        return { ...rule, field: names.field(entity, rule.field) };
      case "member":
        return { ...rule, organization: rename(rule.organization, rows, entity) };
      case "each": {
        const owner = follow(onRow(rule.row), rule.path, true);
        const inner = new Map(rows).set(rule.variable, rule.entity);
        return {
          ...rule,
          path: owner.path,
          relation: relation(owner.entity, rule.relation),
          entity: names.entity(rule.entity),
          condition: rename(rule.condition, inner, entity),
          ...(rule.value && { value: rename(rule.value, inner, entity) }),
        };
      }
    }
  }
  return (rule, entity) => rename(rule, new Map(), entity);
}
