// In: who asks for what of which row. Out: whether the rules let them, and which rule decided.
// The same order of questions as the service has: bounds of the organization, state, fields, then the caller's grants.
import { allows, type EvaluationContext, evaluateValue, type Row, type Value } from "@plinth/expression";
import { isTransition } from "../check/grant.ts";
import type { Edge, Entity, Operation, Permission } from "../model.ts";
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
  const { entity, operation, row, input } = question;
  const user = world.callers.get(question.as);
  if (user === undefined) throw new Error(`the tests have no user ${question.as}`);
  const organization = user.memberships?.length === 1 ? (user.memberships[0]?.organization ?? null) : null;
  const base = { user, organization, now: testNow, request: { ip: null, keyKind: "publishable" } };
  const held = entity.permissions.filter((one) => one.operation === operation && user.roles.includes(one.role));
  const edge = isTransition(operation) ? edgeOf(entity, operation) : null;
  const after =
    row === null || edge !== null || operation === "update" ? newRow(question, held, edge, base, world) : null;
  const rows = rowsFor(operation, row, after, world.connect(entity, input));
  const context: EvaluationContext = { ...base, rows, sent: Object.keys(input) };
  const reason = obstacle(question, { after, edge, context });
  const judged = held
    .filter(
      (one) =>
        one.fields === null || operation === "read" || Object.keys(input).every((name) => one.fields?.includes(name)),
    )
    .map((permission) => ({ permission, context, allowed: allows(permission.rule, context) }));
  return { allowed: reason === null && judged.some((one) => one.allowed), reason, judged };
}

function edgeOf(entity: Entity, operation: Operation): Edge | null {
  return entity.stateMachine?.edges.find((one) => `transition:${one.name}` === operation) ?? null;
}

function rowsFor(operation: Operation, row: WorldRow | null, after: Row | null, input: Row): EvaluationContext["rows"] {
  if (row === null) return { ...(after === null ? {} : { new: after }), input };
  return after === null
    ? { record: row.row }
    : { old: row.row, new: after, ...(isTransition(operation) || operation === "update" ? { input } : {}) };
}

/** The row as it would be: what was sent, what the state machine does, and what every grant of the caller forces. */
function newRow(
  { entity, row, input }: Question,
  held: readonly Permission[],
  edge: Edge | null,
  base: Omit<EvaluationContext, "rows" | "sent">,
  world: World,
): Row {
  const before = row === null ? created(entity, input, base, world) : row.row.values;
  const moved = edge === null || entity.stateMachine === null ? {} : { [entity.stateMachine.field]: edge.to };
  const context: EvaluationContext = {
    ...base,
    rows: { ...(row === null ? {} : { old: row.row }), input: world.connect(entity, input) },
    sent: Object.keys(input),
  };
  const forced = [...held]
    .sort((a, b) => (a.role < b.role ? 1 : -1))
    .flatMap((one) => one.set)
    .filter(({ field }) => held.every((one) => one.set.some((other) => other.field === field)))
    .map(({ field, value }): [string, Value] => [field, evaluateValue(value, context)]);
  return world.connect(entity, { ...before, ...input, ...moved, ...Object.fromEntries(forced) });
}

function created(
  entity: Entity,
  input: Readonly<Record<string, Value>>,
  { user, organization }: Omit<EvaluationContext, "rows" | "sent">,
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
    context,
  }: { readonly after: Row | null; readonly edge: Edge | null; readonly context: EvaluationContext },
): string | null {
  if (row !== null && row.deleted !== (operation === "restore"))
    return row.deleted ? "the row is deleted" : "the row is not deleted";
  const outside = outsideOrganization(entity, row?.row ?? after, after, context);
  if (outside !== null) return outside;
  const body = refusedField(entity, operation, edge, input, context);
  if (body !== null) return body;
  const machine = entity.stateMachine;
  if (machine === null) return null;
  if (row === null)
    return after?.values[machine.field] === machine.initial ? null : `a new record begins as \`${machine.initial}\``;
  const [from, to] = [row.row.values[machine.field], after?.values[machine.field]];
  if (edge !== null) {
    if (!edge.from.some((state) => state === from)) return `the row is \`${from}\``;
    const empty = edge.require.find((name) => (after?.values[name] ?? null) === null);
    return empty === undefined ? null : `\`${empty}\` has no value`;
  }
  if (operation !== "update" || to === from) return null;
  return mayTakeEdge(entity, { from, to, after }, context)
    ? null
    : `no transition that is allowed leads from \`${from}\` to \`${to}\``;
}

function outsideOrganization(
  entity: Entity,
  before: Row | null,
  after: Row | null,
  { user }: EvaluationContext,
): string | null {
  if (entity.orgField === null) return null;
  for (const row of [before, after]) {
    const organization = row?.values[entity.orgField];
    if (row === null || organization === undefined) continue;
    if (organization === null) return "there is no organization";
    if (!user.memberships?.some((one) => one.organization === organization))
      return "it belongs to another organization";
  }
  return null;
}

/** Fields of a body that the caller can't write, whatever the rules say. */
function refusedField(
  entity: Entity,
  operation: Operation,
  edge: Edge | null,
  input: Readonly<Record<string, Value>>,
  { user }: EvaluationContext,
): string | null {
  for (const [name, value] of Object.entries(input)) {
    const field = entity.fields.find((one) => one.name === name);
    if (field === undefined || field.writer === "service") return `\`${name}\` is written by the service`;
    if (operation === "update" && field.immutable) return `\`${name}\` is set at create only`;
    if (edge !== null && !edge.require.includes(name)) return `a transition takes no \`${name}\``;
    if (
      operation === "create" &&
      field.default?.kind === "current_user_id" &&
      value !== user.id &&
      !user.roles.includes("admin")
    )
      return `only an admin gives \`${name}\` another value`;
  }
  return null;
}

function mayTakeEdge(
  entity: Entity,
  { from, to, after }: { readonly from: Value | undefined; readonly to: Value | undefined; readonly after: Row | null },
  context: EvaluationContext,
): boolean {
  return (entity.stateMachine?.edges ?? []).some(
    (edge) =>
      edge.to === to &&
      edge.from.some((state) => state === from) &&
      edge.require.every((name) => (after?.values[name] ?? null) !== null) &&
      entity.permissions.some(
        (one) =>
          one.operation === `transition:${edge.name}` &&
          context.user.roles.includes(one.role) &&
          allows(one.rule, context),
      ),
  );
}
