// Test-only: cases that every evaluator of rules has to agree on. In: a seed. Out: worlds (schema, rows, people) and, in each,
// cases: a rule of any kind of node, an operation, a caller, the rows that it judges and what was sent. The same seed gives
// the same cases. `sampleWorlds` and `sampleCases` are for a database that is filled once a world; `aCase` is a fast-check
// arbitrary that shrinks a failing rule to the part that fails.
//
//   for (const world of sampleWorlds({ seed, count: 20 })) {
//     // make tables of world.records, fill them with world.rows, world.pairs, world.users, world.organizations
//     for (const one of sampleCases(world, { seed, count: 1000 })) evaluate(one.rule, contextOf(one)) // must equal SQL's answer
//   }
import fc from "fast-check";
import type { Value } from "../datum.ts";
import type { EvaluationContext } from "../evaluate.ts";
import type { Expression } from "../tree.ts";
import { partsOf, someNode, withParts } from "../walk.ts";
import { type GeneratedOperation, generateRule } from "./generate-rule.ts";
import { type Draw, drawFrom } from "./generate-values.ts";
import {
  callerOf,
  type GeneratedUser,
  generateWorld,
  type Rows,
  rowsOf,
  targetOf,
  valuesOf,
  type World,
} from "./generate-world.ts";

export type { GeneratedOperation } from "./generate-rule.ts";
export type { DeclaredType, ScalarType } from "./generate-values.ts";
export type { GeneratedField, GeneratedRecord, GeneratedRelation, GeneratedUser, World } from "./generate-world.ts";

export interface Case {
  readonly world: World;
  readonly operation: GeneratedOperation;
  /** The record of the rule. */
  readonly record: string;
  readonly rule: Expression;
  /** Null if nobody is signed in; such a caller only has the role `public`. */
  readonly caller: GeneratedUser | null;
  /** The stored row that the rule reads as `record` or `old`; null on create. */
  readonly id: string | null;
  /**
   * On create and update: the row after the request (including `id` and `version`), read as `new`. It is not stored.
   */
  readonly after: Readonly<Record<string, Value>> | null;
  /** On create and update: the fields that the caller sent; `after` contains their values. */
  readonly sent: readonly string[];
  readonly organization: string | null;
  readonly request: { readonly ip: string | null; readonly keyKind: string | null };
  /** RFC 3339 UTC. */
  readonly now: string;
}

interface Sample {
  readonly seed: number;
  readonly count: number;
}

/** This number of worlds, the same for the same seed. */
export function sampleWorlds({ seed, count }: Sample): World[] {
  return fc.sample(new Drawn(generateWorld), { seed, numRuns: count });
}

/** This number of cases in one world. */
export function sampleCases(world: World, { seed, count }: Sample): Case[] {
  return fc.sample(aCase(world), { seed, numRuns: count });
}

export const aWorld: fc.Arbitrary<World> = fc
  .noShrink(fc.integer())
  .map((seed) => sampleWorlds({ seed, count: 1 })[0] as World);

export function aCase(world: World): fc.Arbitrary<Case> {
  return new Drawn((draw) => generateCase(world, draw), simplerCases);
}

/** The rows, the caller and the request of a case, in the form for the evaluator. */
export function contextOf(one: Case): EvaluationContext {
  const { record, operation, after, id, sent } = one;
  const rows = rowsIn(one.world);
  const stored = id === null ? undefined : rows.of(record, id);
  const shared = {
    user: callerOf(one.caller),
    organization: one.organization,
    request: one.request,
    now: one.now,
    sent,
  };
  if (after === null) return { ...shared, rows: stored === undefined ? {} : { record: stored } };
  const input = { values: Object.fromEntries(sent.map((name) => [name, after[name] ?? null])) };
  const changed = rows.like(record, after);
  if (operation === "create" || stored === undefined) return { ...shared, rows: { new: changed, input } };
  return { ...shared, rows: { old: stored, new: changed, input } };
}

const linked = new WeakMap<World, Rows>();

function rowsIn(world: World): Rows {
  const rows = linked.get(world) ?? rowsOf(world);
  linked.set(world, rows);
  return rows;
}

function generateCase(world: World, draw: Draw): Case {
  const record = draw.pick(world.records);
  const operation = draw.pick(["read", "create", "update", "update", "delete"] as const);
  const stored = draw.pick(world.rows[record.name] ?? []);
  const refer = (target: string): Value => {
    const ids = { user: world.users, organization: world.organizations }[target]?.map(({ id }) => id);
    return draw.pick(ids ?? (world.rows[target] ?? []).map((row) => String(row.id)));
  };
  const values = valuesOf(record.fields, draw, (declared) => refer(targetOf(declared) ?? ""));
  const writes = operation === "create" || operation === "update";
  const sent = writes
    ? record.fields.map(({ name }) => name).filter(() => draw.chance(operation === "create" ? 80 : 40))
    : [];
  const before = operation === "create" ? { id: "0190f3a1-0000-7000-8000-00000000c0de", version: 1 } : stored;
  const unsent = operation === "create" ? Object.fromEntries(record.fields.map(({ name }) => [name, null])) : {};
  const after = { ...unsent, ...before, ...Object.fromEntries(sent.map((name) => [name, values[name] ?? null])) };
  return {
    world,
    operation,
    record: record.name,
    rule: generateRule(world, record.name, operation, draw),
    caller: draw.chance(80) ? draw.pick(world.users) : null,
    id: operation === "create" ? null : String(stored.id),
    after: writes ? after : null,
    sent,
    organization: draw.chance(70) ? draw.pick(world.organizations).id : null,
    request: { ip: draw.pick(["203.0.113.7", null]), keyKind: draw.pick(["publishable", "secret", null]) },
    now: draw.pick(["2026-01-31T09:30:00.000001Z", "2026-02-01T00:00:00Z"]),
  };
}

/** Smaller rules first: each condition inside it, then each chain without one operand. */
function simplerCases(one: Case): Case[] {
  return simpler(one.rule).map((rule) => ({ ...one, rule }));
}

function simpler(rule: Expression): Expression[] {
  const parts = partsOf(rule);
  const bound = (part: Expression): boolean =>
    rule.kind !== "each" ||
    !someNode(part, (node) => (node.kind === "field" || node.kind === "each") && node.row === rule.variable);
  const inner = parts.filter((part) => part.type.kind === "bool" && bound(part));
  const deeper = parts.flatMap((part, index) =>
    simpler(part)
      .filter((other) => other.type.kind === part.type.kind)
      .map((other) => withParts(rule, parts.with(index, other))),
  );
  const isChain = rule.kind === "operation" && (rule.operator === "&&" || rule.operator === "||") && parts.length > 2;
  const shorter = isChain ? parts.map((_, index) => withParts(rule, parts.toSpliced(index, 1))) : [];
  return [...inner, ...shorter, ...deeper].slice(0, 500);
}

/** An arbitrary that generates step by step, and shrinks with a list of simpler values. */
class Drawn<T> extends fc.Arbitrary<T> {
  private readonly make: (draw: Draw) => T;
  private readonly simplify: (value: T) => T[];

  constructor(make: (draw: Draw) => T, simplify: (value: T) => T[] = () => []) {
    super();
    this.make = make;
    this.simplify = simplify;
  }

  override generate(random: fc.Random): fc.Value<T> {
    return new fc.Value(this.make(drawFrom((min, max) => random.nextInt(min, max))), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is T {
    return value !== undefined;
  }

  override shrink(value: T): fc.Stream<fc.Value<T>> {
    return fc.Stream.of(...this.simplify(value).map((one) => new fc.Value(one, undefined)));
  }
}
