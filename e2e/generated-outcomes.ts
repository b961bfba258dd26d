// Computes the expected outcome of a request from the language's text. In: the world, a caller, an operation with its
// input. Out: the possible statuses of a refusal, or the reply and the change. It never changes the world: the caller
// applies successful changes.
import type { Edge, Entity, Field, JsonValue, Operation } from "@plinth/blueprint";
import { evaluate, evaluateValue } from "@plinth/expression";
import { planDelete, planRestore } from "./generated-cascade.ts";
import {
  asIs,
  contextOf,
  forcedBy,
  grantsFor,
  holding,
  keepingHidden,
  mayRead,
  readGrants,
  readsField,
  shownBy,
  takenUniques,
  unreadable,
} from "./generated-judgement.ts";
import { lacksRequired, valuesOf, wayOf } from "./generated-states.ts";
import { type Caller, fieldOf, isDeleted, type Rec, rowOf, type Values, type World } from "./generated-world.ts";

/** Operation, entity, record. */
export type Audit = readonly [string, string, string | null];

export type Outcome =
  | { readonly kind: "refused"; readonly statuses: readonly number[]; readonly why: string }
  | {
      readonly kind: "done";
      readonly status: number;
      /** The expected reply; null if it has no body. */
      readonly data: Values | null;
      readonly audits: readonly Audit[];
      /** Applies the change; for a create, with the id that the service has generated. */
      readonly commit: (id: string) => void;
    };

export interface Sent {
  readonly body: Readonly<Values>;
  /** Fields whose value every caller is refused. */
  readonly wrong: readonly string[];
}

/** A placeholder for the id that the service generates. */
export const NEW_ID = "ffffffff-ffff-7fff-8fff-ffffffffffff";

export function refused(why: string, ...statuses: number[]): Outcome {
  return { kind: "refused", statuses: [...new Set(statuses)], why };
}

export function expectRead(world: World, caller: Caller, entity: Entity, record: Rec | null): Outcome {
  if (grantsFor(entity, "read", caller).length === 0) return refused("no role reads", 403);
  if (record === null || !mayRead(world, caller, record)) return refused("missing or hidden", 404);
  const data = shownBy(world, caller, entity, record.values, readGrants(world, caller, entity, record.values));
  const audits: Audit[] = entity.audit === "all" ? [["read", entity.name, record.id]] : [];
  return { kind: "done", status: 200, data, audits, commit: () => {} };
}

export function expectCreate(world: World, caller: Caller, entity: Entity, sent: Sent): Outcome {
  const grants = grantsFor(entity, "create", caller);
  if (grants.length === 0) return refused("no role creates", 403);
  const forced = forcedBy(grants);
  const invalid = invalidFields(entity, sent, "create");
  const lacking = entity.fields.filter(
    (field) => isRequired(field) && !Object.hasOwn(sent.body, field.name) && !forced.has(field.name),
  );
  if (invalid.length + lacking.length > 0)
    return refused(`invalid ${[...invalid, ...lacking.map((f) => f.name)]}`, 422);
  const input = without(sent.body, forced);
  const early = [
    ...closedToAll(grants, input),
    ...notTheirOwn(entity, caller, input, null),
    ...nobodyThere(entity, caller, input, forced),
  ];
  if (early.length > 0) return refused("fields not for them", ...early);
  const values = newValues(entity, caller, input);
  const context = contextOf(world, caller, entity, { old: null, next: values, input });
  for (const [name, value] of forced) values[name] = evaluateValue(value, context) as JsonValue;
  const held = holding(world, caller, entity, "create", { old: null, next: values, input });
  const named = entity.fields
    .map((field) => field.name)
    .filter((name) => !forced.has(name) && decided(entity, name, input));
  const problems = [
    ...(held.length === 0 ? [403] : closedToSome(held, input)),
    ...(unreadable(world, caller, entity, values, named) ? [422] : []),
    ...storageProblems(world, entity, NEW_ID, values),
  ];
  if (problems.length > 0) return refused("rule, references or storage", ...problems);
  const numbered = entity.fields.filter((field) => field.type.kind === "sequence");
  for (const field of numbered) values[field.name] = `${prefixOf(field)}${nextNumber(world, entity, field)}`;
  return {
    kind: "done",
    status: 201,
    data: replyTo(world, caller, entity, values),
    audits: [["create", entity.name, null]],
    commit: (id) => {
      for (const field of numbered)
        world.counters.set(`${entity.name}.${field.name}`, nextNumber(world, entity, field));
      world.records.set(id, { entity, id, values: { ...values, id } });
    },
  };
}

export function expectUpdate(world: World, caller: Caller, entity: Entity, record: Rec | null, sent: Sent): Outcome {
  const grants = grantsFor(entity, "update", caller);
  if (grants.length === 0) return refused("no role updates", 403);
  const invalid = invalidFields(entity, sent, "update");
  if (invalid.length > 0) return refused(`invalid ${invalid}`, 422);
  const forced = forcedBy(grants);
  const input = without(sent.body, forced);
  const closed = closedToAll(grants, input);
  if (closed.length > 0) return refused("fields not for them", ...closed);
  if (record === null || !isVisible(world, caller, record, "update", input)) return refused("missing or hidden", 404);
  const old = record.values;
  const context = contextOf(world, caller, entity, { old, next: old, input });
  const written = keepingHidden(world, caller, entity, old, input);
  const base: Values = { ...old, ...written, ...valuesOf(forced, context) };
  const way = wayOf(world, caller, entity, { old, next: base, input });
  const next = way?.next ?? base;
  const own = without(input, way?.forced ?? new Map());
  const known = knownOf(world, caller, record, own);
  const held = holding(world, caller, entity, "update", { old, next, input });
  const problems = [
    ...(held.length === 0 ? [403] : closedToSome(held, input)),
    ...notTheirOwn(entity, caller, own, known),
    ...(unreadable(world, caller, entity, { ...next, ...own }, changedNames(own, known)) ? [422] : []),
    ...(way?.problems ?? []),
    ...storageProblems(world, entity, record.id, next),
  ];
  if (problems.length > 0) return refused("rule, references, state or storage", ...problems);
  if (Object.keys(input).length === 0 && forced.size === 0) {
    const isRead = entity.audit === "all" && readGrants(world, caller, entity, old).length > 0;
    const audits: Audit[] = isRead ? [["read", entity.name, record.id]] : [];
    return { kind: "done", status: 200, data: replyTo(world, caller, entity, old), audits, commit: () => {} };
  }
  return changed(world, caller, record, next, way?.operation ?? "update");
}

export function expectTransition(
  world: World,
  caller: Caller,
  entity: Entity,
  record: Rec | null,
  edge: Edge,
  sent: Sent,
): Outcome {
  const operation: Operation = `transition:${edge.name}`;
  const grants = grantsFor(entity, operation, caller);
  if (grants.length === 0) return refused("no role takes it", 403);
  const others = Object.keys(sent.body).filter((name) => !edge.require.includes(name));
  const invalid = invalidFields(entity, sent, "update");
  if (others.length + invalid.length > 0) return refused(`invalid ${[...others, ...invalid]}`, 422);
  const forced = forcedBy(grants);
  const input = without(sent.body, forced);
  const closed = closedToAll(grants, input);
  if (closed.length > 0) return refused("fields not for them", ...closed);
  if (record === null || !isVisible(world, caller, record, operation, input)) return refused("missing or hidden", 404);
  const old = record.values;
  const machine = entity.stateMachine!;
  const set = valuesOf(forced, contextOf(world, caller, entity, { old, next: old, input }));
  const written = keepingHidden(world, caller, entity, old, input);
  const next: Values = { ...old, ...written, ...set, [machine.field]: edge.to };
  const held = holding(world, caller, entity, operation, { old, next, input });
  const known = knownOf(world, caller, record, input);
  const problems = [
    ...(held.length === 0 ? [403] : closedToSome(held, input)),
    ...notTheirOwn(entity, caller, input, known),
    ...(unreadable(world, caller, entity, { ...next, ...input }, changedNames(input, known)) ? [422] : []),
    ...(edge.from.includes(String(old[machine.field])) ? [] : [409]),
    ...(lacksRequired(edge, next) ? [422] : []),
    ...storageProblems(world, entity, record.id, next),
  ];
  if (problems.length > 0) return refused("rule, references, state or storage", ...problems);
  return changed(world, caller, record, next, operation);
}

export function expectDelete(world: World, caller: Caller, entity: Entity, record: Rec | null): Outcome {
  if (grantsFor(entity, "delete", caller).length === 0) return refused("no role deletes", 403);
  if (record === null || !isVisible(world, caller, record, "delete", {})) return refused("missing or hidden", 404);
  if (holding(world, caller, entity, "delete", asIs(record.values)).length === 0) return refused("rule", 403);
  const plan = planDelete(world, record);
  if (plan.restricted) return refused("restricted", 409);
  return { kind: "done", status: 204, data: null, audits: plan.audits, commit: plan.commit };
}

export function expectRestore(world: World, caller: Caller, entity: Entity, record: Rec | null): Outcome {
  if (grantsFor(entity, "restore", caller).length === 0) return refused("no role restores", 403);
  if (record === null) return refused("missing", 404);
  const held = holding(world, caller, entity, "restore", asIs(record.values));
  const seen = held.length > 0 || readGrants(world, caller, entity, record.values).length > 0;
  if (!seen) return refused("hidden", 404);
  if (held.length === 0) return refused("rule", 403);
  if (!isDeleted(record)) return refused("not deleted", 409);
  const plan = planRestore(world, record);
  if (plan.held) return refused("what it refers to is deleted", 409);
  if (plan.back.some(([each, next]) => takenUniques(world, each.entity, each.id, next) > 0)) {
    return refused("a place is taken", 409);
  }
  const audits = plan.back.map(([each]): Audit => ["restore", each.entity.name, each.id]);
  const data = replyTo(world, caller, entity, plan.back[0]![1]);
  return { kind: "done", status: 200, data, audits, commit: plan.commit };
}

/** The expected answer of `/v1/can`. */
export function expectCan(
  world: World,
  caller: Caller,
  entity: Entity,
  operation: Operation,
  record: Rec | null,
): boolean {
  if (record === null) return false;
  if (isDeleted(record) !== (operation === "restore")) return false;
  const edge = entity.stateMachine?.edges.find((each) => `transition:${each.name}` === operation);
  if (edge !== undefined && !edge.from.includes(String(record.values[entity.stateMachine!.field]))) return false;
  return holding(world, caller, entity, operation, asIs(record.values)).length > 0;
}

function changed(world: World, caller: Caller, record: Rec, next: Values, operation: Operation): Outcome {
  const { entity } = record;
  const values = { ...next, version: Number(record.values["version"]) + 1, updated_at: new Date().toISOString() };
  return {
    kind: "done",
    status: 200,
    data: replyTo(world, caller, entity, values),
    audits: [[operation, entity.name, record.id]],
    commit: () => {
      record.values = values;
    },
  };
}

/** The part of the record that they can read. */
function replyTo(world: World, caller: Caller, entity: Entity, values: Values): Values {
  const grants = readGrants(world, caller, entity, values);
  return grants.length > 0 ? shownBy(world, caller, entity, values, grants) : { id: values["id"] ?? null };
}

/** A caller who can change a record knows that it exists. */
function isVisible(world: World, caller: Caller, record: Rec, operation: Operation, input: Values): boolean {
  if (isDeleted(record)) return false;
  const { entity, values } = record;
  if (readGrants(world, caller, entity, values).length > 0) return true;
  return holding(world, caller, entity, operation, { old: values, next: values, input }).length > 0;
}

function isRequired(field: Field): boolean {
  const { writer, internal, optional, type } = field;
  if (writer === "service" || internal || optional || field.default !== null) return false;
  return !["refs", "computed", "sequence", "slug"].includes(type.kind);
}

function invalidFields(entity: Entity, { body, wrong }: Sent, operation: "create" | "update"): string[] {
  return Object.entries(body)
    .filter(([name, value]) => {
      const field = entity.fields.find((each) => each.name === name);
      if (field === undefined || field.writer === "service" || field.internal || wrong.includes(name)) return true;
      if (["computed", "sequence"].includes(field.type.kind)) return true;
      if (operation === "update") return field.immutable;
      const machine = entity.stateMachine;
      return machine?.field === name && value !== machine.initial;
    })
    .map(([name]) => name);
}

function without(body: Readonly<Values>, forced: ReadonlyMap<string, unknown>): Values {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !forced.has(name)));
}

type Grants = ReturnType<typeof grantsFor>;

function closedToAll(grants: Grants, input: Values): number[] {
  const open = (name: string): boolean => grants.some(({ fields }) => fields === null || fields.includes(name));
  return Object.keys(input).every(open) ? [] : [403];
}

const closedToSome = closedToAll;

/** Only an admin can set another value than the service does, or change it later. */
function notTheirOwn(entity: Entity, caller: Caller, input: Values, old: Values | null): number[] {
  if (caller.user.roles.includes("admin")) return [];
  const others = Object.entries(input).filter(([name, value]) => {
    const kind = fieldOf(entity, name).default?.kind;
    if (kind !== "current_user_id" && kind !== "current_org") return false;
    const own = kind === "current_org" ? caller.organization : caller.user.id;
    return old === null ? value !== own : value !== old[name];
  });
  return others.length > 0 ? [403] : [];
}

/** Required, set by the service, and the service has no value to set. */
function nobodyThere(entity: Entity, caller: Caller, input: Values, forced: ReadonlyMap<string, unknown>): number[] {
  return entity.fields.flatMap((field) => {
    const kind = field.default?.kind;
    if (field.optional || field.writer === "service" || forced.has(field.name) || (input[field.name] ?? null) !== null)
      return [];
    if (kind === "current_org" && caller.organization === null) return [403];
    return kind === "current_user_id" && caller.user.id === null ? [422] : [];
  });
}

function newValues(entity: Entity, { user, organization }: Caller, input: Values): Values {
  const now = new Date().toISOString();
  const values: Values = {};
  for (const field of entity.fields) {
    values[field.name] = Object.hasOwn(input, field.name)
      ? input[field.name]!
      : defaultOf(field, now, user.id, organization, input);
  }
  return { ...values, id: NEW_ID };
}

function defaultOf(
  field: Field,
  now: string,
  user: string | null,
  organization: string | null,
  input: Values,
): JsonValue {
  if (field.type.kind === "refs") return [];
  if (field.type.kind === "slug" && field.type.from !== null) return slugOf(input[field.type.from] ?? null);
  switch (field.default?.kind) {
    case "literal":
      return field.default.value;
    case "now":
      return now;
    case "today":
      return now.slice(0, 10);
    case "current_user_id":
      return user;
    case "current_org":
      return organization;
    default:
      return null;
  }
}

function slugOf(text: JsonValue): JsonValue {
  if (typeof text !== "string") return null;
  const ascii = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return ascii.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
}

function prefixOf({ type }: Field): string {
  return type.kind === "sequence" ? type.prefix : "";
}

function nextNumber(world: World, entity: Entity, field: Field): number {
  return (world.counters.get(`${entity.name}.${field.name}`) ?? 0) + 1;
}

/** Whether the body decides the reference. A reference that the service sets always exists. */
function decided(entity: Entity, name: string, input: Values): boolean {
  const field = fieldOf(entity, name);
  return field.writer !== "service" && (field.default === null || Object.hasOwn(input, name));
}

/** Values that the caller can send back unchanged, because they can read them. */
function knownOf(world: World, caller: Caller, { entity, values }: Rec, input: Values): Values {
  const known = Object.keys(input).filter((name) => readsField(world, caller, entity, values, name));
  return Object.fromEntries(known.map((name) => [name, values[name] ?? null]));
}

function changedNames(input: Values, old: Values): string[] {
  return Object.keys(input).filter((name) => Array.isArray(input[name]) || input[name] !== old[name]);
}

/** Unique keys, checks and required values. */
function storageProblems(world: World, entity: Entity, id: string, values: Values): number[] {
  const record = rowOf(world, entity, values);
  const context = { rows: { record }, user: { id: null, email: null, roles: [] }, now: new Date().toISOString() };
  return [
    ...(takenUniques(world, entity, id, values) > 0 ? [409] : []),
    ...(entity.checks.some((check) => evaluate(check.condition, context) === false) ? [422] : []),
    ...(entity.fields.some((field) => isUnfilled(field, values)) ? [422] : []),
  ];
}

/** A grant can set a field to null. */
function isUnfilled({ name, optional, type }: Field, values: Values): boolean {
  return !optional && (values[name] ?? null) === null && !["computed", "sequence", "refs"].includes(type.kind);
}
