// Finds the transition that a state takes, in the model of the language. In: the world, a caller, the row before and
// after. Out: the transition, the resulting row, and the reasons against it.
import type { Edge, Entity, JsonValue, Operation } from "@plinth/blueprint";
import { evaluateValue } from "@plinth/expression";
import { contextOf, forcedBy, grantsFor, holding } from "./generated-judgement.ts";
import type { Caller, Values, World } from "./generated-world.ts";

interface Way {
  readonly operation: Operation;
  readonly forced: ReturnType<typeof forcedBy>;
  readonly next: Values;
  readonly problems: readonly number[];
}

/**
 * The transition of an update: the first that the caller is allowed to take and that lacks nothing. Null if the state
 * stays the same.
 */
export function wayOf(
  world: World,
  caller: Caller,
  entity: Entity,
  { old, next: base, input }: { readonly old: Values; readonly next: Values; readonly input: Values },
): Way | null {
  const machine = entity.stateMachine;
  if (machine === null || base[machine.field] === old[machine.field]) return null;
  const ways = machine.edges.flatMap((edge): Way[] => {
    const operation: Operation = `transition:${edge.name}`;
    const grants = grantsFor(entity, operation, caller);
    const leads = edge.to === base[machine.field] && edge.from.includes(String(old[machine.field]));
    if (!leads || grants.length === 0) return [];
    const forced = forcedBy(grants);
    const next = { ...base, ...valuesOf(forced, contextOf(world, caller, entity, { old, next: old, input })) };
    const allowed = holding(world, caller, entity, operation, { old, next, input }).length > 0;
    const problems = !allowed ? [409] : lacksRequired(edge, next) ? [422] : [];
    return [{ operation, forced, next, problems }];
  });
  const rank = ({ problems }: Way): number => problems[0] ?? 0;
  const [first] = [0, 422, 409].flatMap((each) => ways.filter((way) => rank(way) === each));
  return first ?? { operation: "update", forced: new Map(), next: base, problems: [409] };
}

export function valuesOf(forced: ReturnType<typeof forcedBy>, context: ReturnType<typeof contextOf>): Values {
  return Object.fromEntries([...forced].map(([name, value]) => [name, evaluateValue(value, context) as JsonValue]));
}

export function lacksRequired(edge: Edge, next: Values): boolean {
  return edge.require.some((name) => (next[name] ?? null) === null);
}
