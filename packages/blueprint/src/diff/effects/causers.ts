// Finds who can cause a start. In: a model, reduced to its effects. Out: the roles whose holders can bring it about,
// each with the rule that is then true of the run's record; or that a time causes it. Steps cause starts too, so their
// causers count, with an unknown record.
import type { Expression } from "@plinth/expression";
import type { Model, Operation } from "../../model/model.ts";
import type { Start } from "./effect.ts";
import { exactly } from "./facts.ts";
import { entityOfEvent, type Reduction } from "./reduce.ts";
import { inWordsOfRun } from "./rows.ts";

export interface Causer {
  readonly role: string;
  /** Over `record` and `old` of the run, or over `new`, the input of an action. */
  readonly rule: Expression;
}

/** Null if a time is among the causers: nobody of the project decides what it does. */
export type Causers = (start: Start) => readonly Causer[] | null;

const anybody: Causer = { role: "public", rule: exactly(true) };

export function createCausers(model: Model, { caused }: Reduction): Causers {
  const known = new Map<string, readonly Causer[] | null>();
  return (start) => causersOf(start, new Set());

  function causersOf(start: Start, on: ReadonlySet<string>): readonly Causer[] | null {
    const found = known.get(start.key);
    if (found !== undefined && start.kind !== "action") return found;
    if (start.kind === "time") return null;
    if (start.kind === "action")
      return Object.entries(start.access).map(([role, rule]) => ({ role, rule: inWordsOfRun(rule, true) }));
    if (on.has(start.key)) return [];
    const direct = start.kind === "event" ? callersOf(start.name, model) : [];
    const key = `${start.kind} ${start.name}`;
    const through = (caused.get(key) ?? []).map((one) => causersOf(one, new Set([...on, start.key])));
    const all = through.includes(null)
      ? null
      : distinct([...direct, ...through.flatMap((one) => (one ?? []).map(({ role }) => ({ ...anybody, role })))]);
    if (on.size === 0) known.set(start.key, all);
    return all;
  }
}

/** Callers who cause the event with a request of their own. Everybody can cause an event that no entity has. */
function callersOf(event: string, model: Model): readonly Causer[] {
  const operations = operationsOf(event, model);
  if (operations === null) return isOnlyEmitted(event, model) ? [] : [anybody];
  const { entity, names } = operations;
  const permissions = model.entities.find(({ name }) => name === entity)?.permissions ?? [];
  return permissions
    .filter(({ operation }) => names.includes(operation))
    .map(({ role, rule }) => ({ role, rule: inWordsOfRun(rule, false) }));
}

/** The operations of callers that cause an event; null for an event that no entity has. */
export function operationsOf(
  event: string,
  model: Model,
): { readonly entity: string; readonly names: readonly Operation[] } | null {
  const entity = entityOfEvent(event, model);
  const found = model.entities.find(({ name }) => name === entity);
  if (entity === null || found === undefined) return null;
  const verb = event.startsWith(`${entity}.`) ? event.slice(entity.length + 1) : "";
  const plain = { created: "create", updated: "update", deleted: "delete", restored: "restore" } as const;
  const named = Object.entries(plain).flatMap(([name, operation]): Operation[] => (name === verb ? [operation] : []));
  const edges = (found.stateMachine?.edges ?? []).filter(({ emit }) => emit === event);
  return { entity, names: [...named, ...edges.map(({ name }): Operation => `transition:${name}`)] };
}

/** A declared event that only steps emit: no inbound webhook does. */
function isOnlyEmitted(event: string, model: Model): boolean {
  return !inboundEvents(model).has(event) && model.background.events.some(({ name }) => name === event);
}

/** The events that requests of other services cause. */
export function inboundEvents({ background }: Model): ReadonlySet<string> {
  const mapped = background.inboundWebhooks.flatMap(({ declaration }) => {
    const { events } = declaration as { readonly events?: Readonly<Record<string, unknown>> };
    return Object.values(events ?? {}).map(String);
  });
  return new Set(mapped);
}

/** Whether a new kind of request causes the event: of another service, or an operation of callers. */
export function hasNewCause(event: string, before: Model, after: Model): boolean {
  if (inboundEvents(after).has(event) && !inboundEvents(before).has(event)) return true;
  const [was, is] = [operationsOf(event, before)?.names ?? [], operationsOf(event, after)?.names ?? []];
  return is.some((name) => !was.includes(name));
}

function distinct(causers: readonly Causer[]): readonly Causer[] {
  return [...new Map(causers.map((one) => [JSON.stringify(one), one])).values()];
}
