// Evaluates permissions in memory. In: the world, a caller, rows. Out: the grants that apply, and the visible part of a
// record. It uses the language's text and the evaluator of rules, and never SQL.
import type { Entity, Field, JsonValue, Operation, Permission } from "@plinth/blueprint";
import { allows, type EvaluationContext, evaluateValue, type Value } from "@plinth/expression";
import { type Caller, isDeleted, type Rec, rowOf, targetOf, type Values, type World } from "./generated-world.ts";

export interface Asked {
  /** The record before the request; null for a create. */
  readonly old: Readonly<Values> | null;
  /** The record after the request; the same as `old` if nothing is written. */
  readonly next: Readonly<Values>;
  readonly input: Readonly<Values>;
}

export function grantsFor({ permissions }: Entity, operation: Operation, caller: Caller): readonly Permission[] {
  return permissions.filter(
    (each) =>
      each.operation === operation &&
      caller.user.roles.includes(each.role) &&
      !(each.rule.kind === "literal" && each.rule.value === false),
  );
}

export function contextOf(world: World, caller: Caller, entity: Entity, asked: Asked): EvaluationContext {
  const { user, organization, keyKind } = caller;
  const row = (values: Readonly<Values>) => rowOf(world, entity, values);
  const old = asked.old === null ? null : row(asked.old);
  return {
    user,
    organization,
    request: { ip: "127.0.0.1", keyKind },
    now: new Date().toISOString(),
    sent: Object.keys(asked.input),
    rows: {
      ...(old === null ? {} : { old, record: old }),
      new: row(asked.next),
      input: { values: asked.input as Readonly<Record<string, Value>> },
    },
  };
}

/** The grants that apply; none if the organization of the request excludes the record. */
export function holding(
  world: World,
  caller: Caller,
  entity: Entity,
  operation: Operation,
  asked: Asked,
): readonly Permission[] {
  if (!inOrganization(entity, caller, asked)) return [];
  const context = contextOf(world, caller, entity, asked);
  return grantsFor(entity, operation, caller).filter((each) => allows(each.rule, context));
}

function inOrganization({ orgField }: Entity, caller: Caller, { old, next }: Asked): boolean {
  if (orgField === null || (caller.unscoped && caller.organization === null)) return true;
  return [old, next].every((row) => row === null || row[orgField] === caller.organization);
}

export function asIs(values: Readonly<Values>): Asked {
  return { old: values, next: values, input: {} };
}

export function readGrants(world: World, caller: Caller, entity: Entity, values: Readonly<Values>) {
  return holding(world, caller, entity, "read", asIs(values));
}

export function mayRead(world: World, caller: Caller, record: Rec): boolean {
  return !isDeleted(record) && readGrants(world, caller, record.entity, record.values).length > 0;
}

/** Whether the caller can set a reference to it. */
export function mayName(world: World, caller: Caller, target: string, id: string): boolean {
  const { user } = caller;
  if (target === "user") {
    return world.people.some((each) => each.id === id) && (user.id === id || user.roles.includes("admin"));
  }
  if (target === "organization") {
    if (!world.organizations.includes(id)) return false;
    return user.roles.includes("admin") || (user.memberships ?? []).some((each) => each.organization === id);
  }
  const record = world.records.get(id);
  return record !== undefined && record.entity.name === target && mayRead(world, caller, record);
}

/** Fields that can be returned at all. */
export function isShown({ internal, type }: Field): boolean {
  return !internal && type.kind !== "secret";
}

/** Whether the caller can read this field in all, some or none of their records. */
export function readability(entity: Entity, caller: Caller, name: string): "never" | "sometimes" | "always" {
  const grants = grantsFor(entity, "read", caller);
  if (name === "id") return "always";
  const showing = grants.filter((each) => each.fields === null || each.fields.includes(name));
  if (showing.length === 0) return "never";
  if (showing.length === grants.length) return "always";
  if (showing.some((each) => each.rule.kind === "literal" && each.rule.value === true)) return "always";
  const rules = new Set(showing.map((each) => JSON.stringify(each.rule)));
  return grants.every((each) => rules.has(JSON.stringify(each.rule))) ? "always" : "sometimes";
}

/** The record as these grants show it. */
export function shownBy(
  world: World,
  caller: Caller,
  entity: Entity,
  values: Readonly<Values>,
  grants: readonly Permission[],
): Values {
  const context = contextOf(world, caller, entity, asIs(values));
  const visible = entity.fields.filter(
    (field) =>
      isShown(field) &&
      (field.name === "id" || grants.some((each) => each.fields === null || each.fields.includes(field.name))),
  );
  return Object.fromEntries(
    visible.map((field) => [
      field.name,
      field.type.kind === "computed"
        ? (evaluateValue(field.type.expression, context) as JsonValue)
        : shownValue(world, caller, field, values[field.name] ?? null),
    ]),
  );
}

/** The references to records that the caller can read. */
function shownValue(world: World, caller: Caller, { type }: Field, value: JsonValue): JsonValue {
  if (type.kind !== "refs" || !Array.isArray(value)) return value;
  const ids = value as readonly string[];
  return ids.filter((id) => mayRead(world, caller, world.records.get(id)!)).sort();
}

/** The value that is written: a list keeps the references to records that the caller can't read. */
export function keepingHidden(
  world: World,
  caller: Caller,
  entity: Entity,
  old: Readonly<Values>,
  input: Values,
): Values {
  const entries = Object.entries(input).map(([name, value]): [string, JsonValue] => {
    const { type } = entity.fields.find((each) => each.name === name)!;
    const before = old[name] ?? null;
    if (type.kind !== "refs" || !Array.isArray(value) || !Array.isArray(before)) return [name, value];
    const hidden = (before as readonly string[]).filter((id) => !mayRead(world, caller, world.records.get(id)!));
    return [name, [...new Set([...(value as readonly string[]), ...hidden])]];
  });
  return Object.fromEntries(entries);
}

/** Whether the record shows them the field. */
export function readsField(
  world: World,
  caller: Caller,
  entity: Entity,
  values: Readonly<Values>,
  name: string,
): boolean {
  const { internal } = entity.fields.find((each) => each.name === name)!;
  const grants = readGrants(world, caller, entity, values);
  return !internal && grants.some((each) => each.fields === null || each.fields.includes(name));
}

/** The values that all the caller's grants for the operation set. If they differ, the first role's value counts. */
export function forcedBy(grants: readonly Permission[]): ReadonlyMap<string, Permission["set"][number]["value"]> {
  const [first] = [...grants].sort((one, other) => (one.role < other.role ? -1 : 1));
  const everywhere = (first?.set ?? []).filter(({ field }) =>
    grants.every((each) => each.set.some((other) => other.field === field)),
  );
  return new Map(everywhere.map(({ field, value }) => [field, value]));
}

/** Unique keys that these values would violate. */
export function takenUniques(world: World, entity: Entity, id: string, values: Readonly<Values>): number {
  const others = [...world.records.values()].filter(
    (each) => each.entity.name === entity.name && each.id !== id && !isDeleted(each),
  );
  return entity.uniques.filter((fields) => {
    const own = fields.map((name) => values[name] ?? null);
    return (
      own.every((value) => value !== null) &&
      others.some((each) => fields.every((name, i) => each.values[name] === own[i]))
    );
  }).length;
}

/** References in these fields that the caller is not allowed to set. */
export function unreadable(
  world: World,
  caller: Caller,
  entity: Entity,
  values: Readonly<Values>,
  names: readonly string[],
): boolean {
  return names.some((name) => {
    const field = entity.fields.find((each) => each.name === name);
    const target = field === undefined ? null : targetOf(field);
    const value = values[name] ?? null;
    if (target === null || value === null) return false;
    return (Array.isArray(value) ? value : [value]).some(
      (id) => !mayName(world, caller, target, String(id)) || leadsAway(world, entity, values, String(id)),
    );
  });
}

/** Whether the reference leads to a record of another organization. */
function leadsAway(world: World, { orgField }: Entity, values: Readonly<Values>, id: string): boolean {
  const target = world.records.get(id);
  if (orgField === null || target === undefined || target.entity.orgField === null) return false;
  return target.values[target.entity.orgField] !== values[orgField];
}
