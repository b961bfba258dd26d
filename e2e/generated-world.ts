// The contents of a project, in memory. In: the model, and the changes of requests. Out: records, and the rows for
// rules. It never asks the service, because the service is compared with it.
import type { Entity, Field, JsonValue, Model } from "@plinth/blueprint";
import type { EvaluationContext, Row, Value } from "@plinth/expression";

export type Values = Record<string, JsonValue>;

export interface Rec {
  readonly entity: Entity;
  readonly id: string;
  values: Values;
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly level: number | null;
  /** The assigned roles, without inherited ones. */
  readonly roles: readonly string[];
  readonly memberships: readonly { readonly organization: string; readonly role: string }[];
}

export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly user: EvaluationContext["user"];
  readonly organization: string | null;
  readonly keyKind: string | null;
  /** An admin key, which is not limited to one organization. */
  readonly unscoped: boolean;
}

export interface World {
  readonly model: Model;
  readonly entities: ReadonlyMap<string, Entity>;
  readonly records: Map<string, Rec>;
  readonly people: readonly Person[];
  readonly organizations: readonly string[];
  /** Sequence numbers so far, by entity and field. */
  readonly counters: Map<string, number>;
}

export function newWorld(model: Model, people: readonly Person[], organizations: readonly string[]): World {
  const entities = new Map(model.entities.map((entity) => [entity.name, entity]));
  return { model, entities, records: new Map(), people, organizations, counters: new Map() };
}

export function recordsOf(world: World, entity: string): Rec[] {
  return [...world.records.values()].filter((each) => each.entity.name === entity);
}

export function isDeleted(record: Rec): boolean {
  return record.entity.softDelete && record.values["deleted_at"] !== null;
}

export function livingOf(world: World, entity: string): Rec[] {
  return recordsOf(world, entity).filter((each) => !isDeleted(each));
}

export function fieldOf(entity: Entity, name: string): Field {
  const field = entity.fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`${entity.name} has no field ${name}`);
  return field;
}

export function targetOf({ type }: Field): string | null {
  if (type.kind === "user_ref") return "user";
  if (type.kind === "org_ref") return "organization";
  return type.kind === "ref" || type.kind === "refs" ? type.entity : null;
}

/** A row whose references are found when a rule reads them. Deleted records are missing. */
export function rowOf(world: World, entity: Entity, values: Readonly<Values>): Row {
  const related: Record<string, Row> = {};
  for (const field of entity.fields) {
    const target = targetOf(field);
    if (target === null || field.type.kind === "refs") continue;
    const id = values[field.name] ?? null;
    const found = id === null ? null : finder(world, target, String(id));
    if (found !== null) Object.defineProperty(related, field.name, { enumerable: true, get: found });
  }
  const many: Record<string, Row[]> = {};
  for (const { name, entity: other, by } of entity.relations) {
    const get = (): Row[] =>
      livingOf(world, other)
        .filter((each) => {
          if (by.kind === "refs") return listed(values[by.field], each.id);
          if (by.kind === "refs_inverse") return listed(each.values[by.field], String(values["id"]));
          return each.values[by.field] === values["id"];
        })
        .map((each) => rowOf(world, each.entity, each.values));
    Object.defineProperty(many, name, { enumerable: true, get });
  }
  return { values: values as Readonly<Record<string, Value>>, related, many };
}

function listed(list: JsonValue | undefined, id: string): boolean {
  return Array.isArray(list) && list.includes(id);
}

function finder(world: World, target: string, id: string): (() => Row) | null {
  if (target === "user") {
    const person = world.people.find((each) => each.id === id);
    return person === undefined
      ? null
      : () => ({ values: { id, email: person.email, name: null, level: person.level } });
  }
  if (target === "organization") return world.organizations.includes(id) ? () => ({ values: { id } }) : null;
  const record = world.records.get(id);
  if (record === undefined || record.entity.name !== target || isDeleted(record)) return null;
  return () => rowOf(world, record.entity, record.values);
}

/** All roles of a person with these assigned roles. */
export function heldRoles(model: Model, given: readonly string[]): readonly string[] {
  const held = new Set(["public", ...given]);
  for (const role of model.roles) if (given.includes(role.name)) for (const name of role.inherits) held.add(name);
  return [...held].sort();
}
