// In: who asks for what of which row. Out: whether the rules let them, and which rule decided.
// The same order of questions as the service has: bounds of the organization, state, fields, then the caller's grants.
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
import { testNow, type World, type WorldRow } from "./world.ts";

export interface Verdict {
  readonly allowed: boolean;
  /** Why not, where something else than a rule stands against it. */
  readonly reason: string | null;
  /** The caller's permissions for the operation that could be asked, each with what it was judged on. */
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
  // A test names no organization with a request: the first that its user belongs to is the one they have chosen.
  const organization = user.memberships?.[0]?.organization ?? null;
  const asker: Asker = { user, organization, now: testNow, request: { ip: null, keyKind: "publishable" } };
  const held = entity.permissions.filter((one) => one.operation === operation && user.roles.includes(one.role));
  const edge = isTransition(operation) ? edgeOf(entity, operation) : null;
  const forced = forcedBy(held);
  const input = Object.fromEntries(Object.entries(question.input).filter(([name]) => !forced.has(name)));
  const writes = row === null || edge !== null || operation === "update";
  const given = { ...question, input };
  const way = wayOf(given, forced, asker, world);
  const after = writes ? (way?.after ?? newRow(given, forced, edge, asker, world)) : null;
  const context = contextOf(given, after, asker, world);
  const judged = held.map((permission) => ({ permission, context, allowed: allows(permission.rule, context) }));
  const byEdge = new Set(way?.forced.keys());
  const own = { ...given, input: Object.fromEntries(Object.entries(input).filter(([name]) => !byEdge.has(name))) };
  const reason =
    obstacle(given, { after, edge, way, context }) ??
    heldByDeleted(given, world) ??
    closedField(given, judged) ??
    unreadable(own, asker, world);
  return { allowed: reason === null && judged.some((one) => one.allowed), reason, judged };
}

type Asker = Omit<EvaluationContext, "rows" | "sent">;

function contextOf({ entity, row, input }: Question, after: Row | null, asker: Asker, world: World): EvaluationContext {
  return { ...asker, rows: rowsFor(row, after, world.connect(entity, input)), sent: Object.keys(input) };
}

/** The edge by which an update moves the state, and what it makes of the row. */
interface Way {
  readonly after: Row;
  readonly forced: ReadonlyMap<string, Expression>;
  readonly obstacle: "none" | "incomplete" | "refused";
}

/** Of several edges, the first that is allowed and lacks nothing, as the service takes it. Null where the state stays, or none leads there. */
function wayOf(question: Question, forced: ReadonlyMap<string, Expression>, asker: Asker, world: World): Way | null {
  const { entity, operation, row, input } = question;
  const machine = entity.stateMachine;
  if (machine === null || row === null || operation !== "update") return null;
  const [from, to] = [row.row.values[machine.field], input[machine.field]];
  if (to === from) return null;
  const ways = machine.edges.flatMap((edge): Way[] => {
    const held = entity.permissions.filter(
      (one) => one.operation === `transition:${edge.name}` && asker.user.roles.includes(one.role),
    );
    if (edge.to !== to || !edge.from.some((state) => state === from) || held.length === 0) return [];
    const byEdge = forcedBy(held);
    const after = newRow(question, new Map([...forced, ...byEdge]), null, asker, world);
    const context = contextOf(question, after, asker, world);
    const complete = edge.require.every((name) => (after.values[name] ?? null) !== null);
    const allowed = held.some((one) => allows(one.rule, context));
    return [{ after, forced: byEdge, obstacle: !allowed ? "refused" : complete ? "none" : "incomplete" }];
  });
  const order: readonly Way["obstacle"][] = ["none", "incomplete", "refused"];
  return (
    order.map((obstacle) => ways.find((way) => way.obstacle === obstacle)).find((way) => way !== undefined) ?? null
  );
}

/** What every grant of the caller for the operation sets; of different values, the first role's. */
function forcedBy(held: readonly Permission[]): ReadonlyMap<string, Expression> {
  const [first] = [...held].sort((a, b) => (a.role < b.role ? -1 : 1));
  const everywhere = (first?.set ?? []).filter(({ field }) =>
    held.every((one) => one.set.some((other) => other.field === field)),
  );
  return new Map(everywhere.map(({ field, value }) => [field, value]));
}

/** A field of the body that no grant which holds lets the caller name. */
function closedField({ operation, input }: Question, judged: readonly Judged[]): string | null {
  const holding = judged.filter((one) => one.allowed);
  if (operation === "read" || holding.length === 0) return null;
  const closed = Object.keys(input).find(
    (name) => !holding.some(({ permission: { fields } }) => fields === null || fields.includes(name)),
  );
  return closed === undefined ? null : `\`${closed}\` is not a field that can be sent`;
}

/** A record comes back only with those that it refers to, but for those that a delete would have let go of. */
function heldByDeleted({ entity, operation, row }: Question, world: World): string | null {
  if (operation !== "restore" || row === null) return null;
  const holder = entity.fields.find(({ name, type }) => {
    const target = world.rows.find((one) => one.id === row.row.values[name]);
    return type.kind === "ref" && type.onDelete !== "set_null" && target?.deleted === true;
  });
  return holder === undefined ? null : `\`${holder.name}\` refers to a deleted record`;
}

/** A reference may be set only to a record that the caller may read. */
function unreadable({ as, entity, input }: Question, { user }: Asker, world: World): string | null {
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

function mayRead(target: string, id: Value, as: string, user: Asker["user"], world: World): boolean {
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

/** The row as it would be: what was sent, what the state machine does, and what the caller's grants set. */
function newRow(
  question: Question,
  forced: ReadonlyMap<string, Expression>,
  edge: Edge | null,
  asker: Asker,
  world: World,
): Row {
  const { entity, row, input } = question;
  const before = row === null ? created(entity, input, asker, world) : row.row.values;
  const moved = edge === null || entity.stateMachine === null ? {} : { [entity.stateMachine.field]: edge.to };
  const context: EvaluationContext = {
    ...asker,
    rows: { ...(row === null ? {} : { old: row.row }), input: world.connect(entity, input) },
    sent: Object.keys(input),
  };
  const set = [...forced].map(([field, value]): [string, Value] => [field, evaluateValue(value, context)]);
  const sent = row === null ? input : keepingHidden(question, asker, world);
  return world.connect(entity, { ...before, ...sent, ...Object.fromEntries(set), ...moved });
}

/** A list of references that is sent takes none away that the caller can't read. */
function keepingHidden(
  { as, entity, row, input }: Question,
  { user }: Asker,
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
  { user, organization }: Asker,
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

/** What stands against it beside the rules; null where nothing does. */
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
  asker: EvaluationContext,
): string | null {
  if (entity.orgField === null) return null;
  for (const row of [before, after]) {
    const organization = row?.values[entity.orgField];
    if (row === null || organization === undefined) continue;
    if (organization === null) return "there is no organization";
    if (asker.organization !== organization) return "it belongs to another organization";
  }
  return null;
}

/** Fields of a body that the caller can't write, whatever the rules say. */
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

/** What the field holds if it is not given. */
function before({ name, default: fallback }: Field, { rows, user, organization }: EvaluationContext): Value {
  if (rows.old !== undefined) return rows.old.values[name] ?? null;
  return fallback?.kind === "current_user_id" ? user.id : (organization ?? null);
}
