// Judges a request in memory. In: the caller, the operation and the row. Out: whether the rules allow it, and which
// rule decided. It checks in the same order as the service: the organization, the state, the fields, then the caller's
// grants.
import {
  allows,
  type EvaluationContext,
  type Expression,
  evaluateValue,
  type Row,
  type Value,
} from "@plinth/expression";
import { isTransition } from "../check/permissions/grant.ts";
import type { Edge, Entity, Field, Operation, Permission } from "../model/model.ts";
import { USER_ENTITY } from "../modules/users.ts";
import { targetOf } from "../rules/expression-schema.ts";
import type { World, WorldRow } from "./world.ts";

export interface Verdict {
  readonly allowed: boolean;
  /** Why not, if something other than a rule prevents it. */
  readonly reason: string | null;
  /** The caller's permissions for the operation, each with the context in which it was evaluated. */
  readonly judged: readonly Judged[];
}

export interface Judged {
  readonly permission: Permission;
  readonly context: EvaluationContext;
  readonly allowed: boolean;
}

export interface Question {
  readonly as: string;
  readonly entity: Entity;
  readonly operation: Operation;
  /** Null for a create. */
  readonly row: WorldRow | null;
  readonly input: Readonly<Record<string, Value>>;
}

export function judge(question: Question, world: World): Verdict {
  const { entity, operation, row } = question;
  const user = world.callers.get(question.as);
  if (user === undefined) throw new Error(`the tests have no user ${question.as}`);
  // In a test, a request names no organization: the user's first organization is the chosen one.
  const organization = user.memberships?.[0]?.organization ?? null;
  const caller: Caller = { user, organization, now: world.now, request: { ip: null, keyKind: "publishable" } };
  const grants = entity.permissions.filter((one) => one.operation === operation && user.roles.includes(one.role));
  const edge = isTransition(operation) ? edgeOf(entity, operation) : null;
  const forced = forcedBy(grants);
  const input = Object.fromEntries(Object.entries(question.input).filter(([name]) => !forced.has(name)));
  const writes = row === null || edge !== null || operation === "update";
  const given = { ...question, input };
  const way = wayOf(given, forced, caller, world);
  const after = writes ? (way?.after ?? newRow(given, forced, edge, caller, world)) : null;
  const context = contextOf(given, after, caller, world);
  const judged = grants.map((permission) => ({ permission, context, allowed: allows(permission.rule, context) }));
  const byEdge = new Set(way?.forced.keys());
  const own = { ...given, input: Object.fromEntries(Object.entries(input).filter(([name]) => !byEdge.has(name))) };
  const reason =
    obstacle(given, { after, edge, way, context }) ??
    heldByDeleted(given, world) ??
    closedField(given, judged) ??
    unreadable(own, caller, world);
  return { allowed: reason === null && judged.some((one) => one.allowed), reason, judged };
}

type Caller = Omit<EvaluationContext, "rows" | "sent">;

function contextOf(
  { entity, row, input }: Question,
  after: Row | null,
  caller: Caller,
  world: World,
): EvaluationContext {
  return { ...caller, rows: rowsFor(row, after, world.connect(entity, input)), sent: Object.keys(input) };
}

/** The transition through which an update changes the state, and the row after it. */
interface Way {
  readonly after: Row;
  readonly forced: ReadonlyMap<string, Expression>;
  readonly obstacle: "none" | "incomplete" | "refused";
}

/**
 * Among several transitions, the first one that is allowed and has all required fields, as in the service. Null if the
 * state stays, or if there is no transition.
 */
function wayOf(question: Question, forced: ReadonlyMap<string, Expression>, caller: Caller, world: World): Way | null {
  const { entity, operation, row, input } = question;
  const machine = entity.stateMachine;
  if (machine === null || row === null || operation !== "update") return null;
  const [from, to] = [row.row.values[machine.field], input[machine.field]];
  if (to === from) return null;
  const ways = machine.edges.flatMap((edge): Way[] => {
    const grants = entity.permissions.filter(
      (one) => one.operation === `transition:${edge.name}` && caller.user.roles.includes(one.role),
    );
    if (edge.to !== to || !edge.from.some((state) => state === from) || grants.length === 0) return [];
    const byEdge = forcedBy(grants);
    const after = newRow(question, new Map([...forced, ...byEdge]), null, caller, world);
    const context = contextOf(question, after, caller, world);
    const complete = edge.require.every((name) => (after.values[name] ?? null) !== null);
    const allowed = grants.some((one) => allows(one.rule, context));
    return [{ after, forced: byEdge, obstacle: !allowed ? "refused" : complete ? "none" : "incomplete" }];
  });
  const order: readonly Way["obstacle"][] = ["none", "incomplete", "refused"];
  return (
    order.map((obstacle) => ways.find((way) => way.obstacle === obstacle)).find((way) => way !== undefined) ?? null
  );
}

/** The values that every grant of the caller for the operation sets; if they differ, the first role's value. */
function forcedBy(grants: readonly Permission[]): ReadonlyMap<string, Expression> {
  const [first] = [...grants].sort((a, b) => (a.role < b.role ? -1 : 1));
  const everywhere = (first?.set ?? []).filter(({ field }) =>
    grants.every((one) => one.set.some((other) => other.field === field)),
  );
  return new Map(everywhere.map(({ field, value }) => [field, value]));
}

/** A field of the body that none of the caller's true grants allows. */
function closedField({ operation, input }: Question, judged: readonly Judged[]): string | null {
  const holding = judged.filter((one) => one.allowed);
  if (operation === "read" || holding.length === 0) return null;
  const closed = Object.keys(input).find(
    (name) => !holding.some(({ permission: { fields } }) => fields === null || fields.includes(name)),
  );
  return closed === undefined ? null : `\`${closed}\` is not a field that can be sent`;
}

/**
 * A record can be restored only if the records that it refers to exist, except for references that a delete would have
 * emptied.
 */
function heldByDeleted({ entity, operation, row }: Question, world: World): string | null {
  if (operation !== "restore" || row === null) return null;
  const holder = entity.fields.find(({ name, type }) => {
    const target = world.rows.find((one) => one.id === row.row.values[name]);
    return type.kind === "ref" && type.onDelete !== "set_null" && target?.deleted === true;
  });
  return holder === undefined ? null : `\`${holder.name}\` refers to a deleted record`;
}

/** A reference can be set only to a record that the caller can read. */
function unreadable({ as, entity, input }: Question, { user }: Caller, world: World): string | null {
  for (const field of entity.fields) {
    const value = input[field.name] ?? null;
    const target = field.type.kind === "refs" ? field.type.entity : targetOf(field.type);
    if (value === null || target === null) continue;
    for (const id of Array.isArray(value) ? (value as readonly Value[]) : [value]) {
      if (!mayRead(target, id, as, user, world)) return `\`${field.name}\` refers to a record that they can't read`;
    }
  }
  return null;
}

function mayRead(target: string, id: Value, as: string, user: Caller["user"], world: World): boolean {
  if (target === "organization")
    return user.roles.includes("admin") || (user.memberships?.some((one) => one.organization === id) ?? false);
  const row = (target === USER_ENTITY ? world.users : world.rows).find((one) => one.id === id);
  return row !== undefined && judge({ as, entity: row.entity, operation: "read", row, input: {} }, world).allowed;
}

function edgeOf(entity: Entity, operation: Operation): Edge | null {
  return entity.stateMachine?.edges.find((one) => `transition:${one.name}` === operation) ?? null;
}

/** The rows that an operation sees. */
function rowsFor(row: WorldRow | null, after: Row | null, input: Row): EvaluationContext["rows"] {
  if (after === null) return row === null ? {} : { record: row.row };
  return row === null ? { new: after, input } : { old: row.row, new: after, input };
}

/** The new row: the input, the changes of the state machine, and the values that the caller's grants set. */
function newRow(
  question: Question,
  forced: ReadonlyMap<string, Expression>,
  edge: Edge | null,
  caller: Caller,
  world: World,
): Row {
  const { entity, row, input } = question;
  const before = row === null ? created(entity, input, caller, world) : row.row.values;
  const moved = edge === null || entity.stateMachine === null ? {} : { [entity.stateMachine.field]: edge.to };
  const context: EvaluationContext = {
    ...caller,
    rows: { ...(row === null ? {} : { old: row.row }), input: world.connect(entity, input) },
    sent: Object.keys(input),
  };
  const set = [...forced].map(([field, value]): [string, Value] => [field, evaluateValue(value, context)]);
  const sent = row === null ? input : keepingHidden(question, caller, world);
  return world.connect(entity, { ...before, ...sent, ...Object.fromEntries(set), ...moved });
}

/** A list of references in the input keeps the references that the caller can't read. */
function keepingHidden(
  { as, entity, row, input }: Question,
  { user }: Caller,
  world: World,
): Readonly<Record<string, Value>> {
  const lists = entity.fields.flatMap(({ name, type }): [string, Value][] => {
    const [sent, before] = [input[name], row?.row.values[name]];
    if (type.kind !== "refs" || !Array.isArray(sent) || !Array.isArray(before)) return [];
    const hidden = (before as readonly Value[]).filter((id) => !mayRead(type.entity, id, as, user, world));
    return [[name, [...new Set([...(sent as readonly Value[]), ...hidden])]]];
  });
  return { ...input, ...Object.fromEntries(lists) };
}

function created(
  entity: Entity,
  input: Readonly<Record<string, Value>>,
  { user, organization }: Caller,
  world: World,
): Readonly<Record<string, Value>> {
  const given = Object.fromEntries(
    entity.fields.flatMap((field): [string, Value][] => {
      if (field.default?.kind === "current_user_id") return [[field.name, user.id]];
      return field.default?.kind === "current_org" ? [[field.name, organization ?? null]] : [];
    }),
  );
  return world.fill(entity, { ...given, ...input });
}

/** What prevents it in addition to the rules; null if nothing does. */
function obstacle(
  { entity, operation, row, input }: Question,
  {
    after,
    edge,
    way,
    context,
  }: {
    readonly after: Row | null;
    readonly edge: Edge | null;
    readonly way: Way | null;
    readonly context: EvaluationContext;
  },
): string | null {
  if (row !== null && row.deleted !== (operation === "restore"))
    return row.deleted ? "the row is deleted" : "the row is not deleted";
  const outside = outsideOrganization(entity, row?.row ?? after, after, context);
  if (outside !== null) return outside;
  const body = refusedField(entity, operation, edge, input, way?.forced ?? null, context);
  if (body !== null) return body;
  const machine = entity.stateMachine;
  if (machine === null) return null;
  if (row === null)
    return after?.values[machine.field] === machine.initial ? null : `a new record starts as \`${machine.initial}\``;
  const [from, to] = [row.row.values[machine.field], after?.values[machine.field]];
  if (edge !== null) {
    if (!edge.from.some((state) => state === from)) return `the row is \`${from}\``;
    const empty = edge.require.find((name) => (after?.values[name] ?? null) === null);
    return empty === undefined ? null : `\`${empty}\` has no value`;
  }
  if (operation !== "update" || to === from) return null;
  return way?.obstacle === "none" ? null : `no permitted transition leads from \`${from}\` to \`${to}\``;
}

function outsideOrganization(
  entity: Entity,
  before: Row | null,
  after: Row | null,
  caller: EvaluationContext,
): string | null {
  if (entity.orgField === null) return null;
  for (const row of [before, after]) {
    const organization = row?.values[entity.orgField];
    if (row === null || organization === undefined) continue;
    if (organization === null) return "there is no organization";
    if (caller.organization !== organization) return "it belongs to another organization";
  }
  return null;
}

/** Fields in a body that the caller can't write, whatever the rules say. */
function refusedField(
  entity: Entity,
  operation: Operation,
  edge: Edge | null,
  input: Readonly<Record<string, Value>>,
  byEdge: ReadonlyMap<string, Expression> | null,
  context: EvaluationContext,
): string | null {
  const { user } = context;
  for (const [name, value] of Object.entries(input)) {
    const field = entity.fields.find((one) => one.name === name);
    if (field === undefined) return `\`${entity.name}\` has no field \`${name}\``;
    if (field.writer === "service") return `only the service writes \`${name}\``;
    if (operation === "update" && field.immutable) return `\`${name}\` can only be set at create`;
    if (edge !== null && !edge.require.includes(name)) return `a transition doesn't accept \`${name}\``;
    if (byEdge?.has(name) === true) continue;
    if (isServiceSet(field) && value !== before(field, context) && !user.roles.includes("admin"))
      return `only an admin can set \`${name}\` to another value`;
  }
  return null;
}

function isServiceSet({ default: fallback }: Field): boolean {
  return fallback?.kind === "current_user_id" || fallback?.kind === "current_org";
}

/** The value of the field if none is sent. */
function before({ name, default: fallback }: Field, { rows, user, organization }: EvaluationContext): Value {
  if (rows.old !== undefined) return rows.old.values[name] ?? null;
  return fallback?.kind === "current_user_id" ? user.id : (organization ?? null);
}
