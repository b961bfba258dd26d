// Compares what background work does before and after a change. In: two models in the same words, and the changes of
// rules that let somebody in. Out: each effect that is new, that happens in more cases, or that more people can cause.
// An effect has no new reach if one of the first model has the same start, operation, target and values, and a guard
// that is true at least as often. Chains are compared link by link: if every link was there before, so was the chain.
// The first model is null if nothing is live; then only data that leaves the project counts.
import { type ComparisonBudget, type Expression, findLoosening, joined, keyOfRule } from "@plinth/expression";
import { emptyBackground } from "../../model/background.ts";
import type { Model } from "../../model/model.ts";
import { createRanges } from "../../rules/field-ranges.ts";
import type { Change } from "../change.ts";
import { createCausers, hasNewCause, operationsOf } from "./causers.ts";
import type { Effect, Start } from "./effect.ts";
import { exactly } from "./facts.ts";
import { createHarmless, rowTypes } from "./harmless.ts";
import { isWithin } from "./input-range.ts";
import { type Reduction, reduceModel, startsCausedBy } from "./reduce.ts";
import { inOldNames } from "./renamed-work.ts";
import { inWordsOfRun } from "./rows.ts";

export type Reach =
  /** No effect of the first model was like it. */
  | "new"
  /** It was there, in fewer cases. */
  | "wider"
  /** It was there, and somebody can cause it who could not before. */
  | "caused"
  /** Whether it was there can't be decided within the budget. */
  | "undecided";

export interface Finding {
  readonly effect: Effect;
  readonly reach: Reach;
  /** The roles whose holders can cause it, the widest first; empty if a time does. */
  readonly causers: readonly string[];
}

export interface Comparing {
  readonly budget: ComparisonBudget;
  /** Changes that let somebody in, with their witnesses. */
  readonly loosened: readonly Change[];
}

export function compareEffects(
  before: Model | null,
  after: Model,
  { budget, loosened }: Comparing,
): readonly Finding[] {
  const intern = createIntern();
  const was = before === null ? { ...after, background: emptyBackground } : inOldNames(before, after);
  const old = before === null ? nothing : reduceModel(was, intern);
  const now = reduceModel(after, intern);
  if (!budget.spend(REDUCING_WORK * (old.effects.length + now.effects.length)))
    return now.effects.map((effect) => ({ effect, reach: "undecided", causers: [] }));
  const rangesFor = createRanges(was, after);
  const former = Map.groupBy(old.effects.map(guarded), ({ effect: { start, key } }) => `${start.key} ${key}`);
  const isHarmless = createHarmless({ before: was, after, reduced: now, rangesFor, budget });

  function reachOf(effect: Effect): Reach | null {
    const own = guarded(effect);
    const all = former.get(`${effect.start.key} ${effect.key}`) ?? [];
    const alike = all.filter((one) => takesAsMuch(one.effect, effect));
    if (alike.length === 0) return "new";
    if (alike.some((one) => one.guardKey === own.guardKey)) return null;
    // The part's own effects decide it in most cases. Beyond some others, the comparison would cost more than it tells.
    const samePart = alike.filter((one) => one.effect.path === effect.path);
    const few = alike.length <= ALIKE_MAX ? alike : samePart;
    let reach: Reach = "wider";
    for (const guards of few.length === samePart.length ? [few] : [samePart, few]) {
      if (guards.length === 0) continue;
      const was = joined(
        "||",
        guards.map(({ guard }) => guard),
      );
      const found = findLoosening(was, own.guard, rowTypes(effect.start, rangesFor), budget);
      if (found === null) return null;
      reach = found.kind === "undecided" && found.because === "budget" ? "undecided" : "wider";
    }
    return reach;
  }

  const causersOf = createCausers(after, now);
  const found = new Map<Effect, Finding>();
  const find = (effect: Effect, reach: Reach): void => {
    const causers = new Set((causersOf(effect.start) ?? []).map(({ role }) => role));
    found.set(effect, { effect, reach, causers: causers.has("public") ? ["public"] : [...causers] });
  };
  for (const effect of now.effects) {
    const reach = reachOf(effect);
    if (reach === null || isHarmless(effect)) continue;
    if (before === null && effect.act.kind !== "leave") continue;
    find(effect, reach);
  }
  if (before === null) return [...found.values()];
  const opened = openedStarts(now, [...found.keys()], { before: was, after, loosened });
  for (const effect of now.effects) {
    if (found.has(effect) || !opened.has(startName(effect.start))) continue;
    if (isWrite(effect) && !isHarmless(effect)) find(effect, "caused");
  }
  return [...found.values()];
}

/** The cost of reducing one effect to its normal form, in looks at a part of a rule. */
const REDUCING_WORK = 20;

const nothing: Reduction = { effects: [], caused: new Map() };

/** Short texts for long ones, so that a chain of steps can't grow without limit. */
function createIntern(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const short = known.get(text) ?? `#${known.size}`;
    known.set(text, short);
    return short;
  };
}

/** The most effects of other parts that are compared together. */
const ALIKE_MAX = 10;

interface Guarded {
  readonly effect: Effect;
  readonly guard: Expression;
  /** Equal for equal guards. */
  readonly guardKey: string;
}

function guarded(effect: Effect): Guarded {
  const guard = guardOf(effect);
  return { effect, guard, guardKey: keyOfRule(guard) };
}

/** Who can call an action is part of its guard; who can cause an event is compared with the event's own permissions. */
function guardOf({ start, guard }: Effect): Expression {
  if (start.kind !== "action") return guard.length === 0 ? exactly(true) : joined("&&", guard);
  const callers = Object.entries(start.access).map(([role, rule]) =>
    joined("&&", [holds(role), inWordsOfRun(rule, true)]),
  );
  return joined("&&", [joined("||", callers), ...guard]);
}

const text = { kind: "text" } as const;

function holds(role: string): Expression {
  const roles: Expression = { kind: "user", type: { kind: "list", of: text }, name: "roles" };
  const args: Expression[] = [{ kind: "literal", type: text, value: role }, roles];
  return { kind: "operation", type: { kind: "bool" }, operator: "in", args };
}

/** Whether the input of the former action could hold everything that the effect reads of the new one's. */
function takesAsMuch({ start: was }: Effect, { start: is, act, guard }: Effect): boolean {
  if (is.kind !== "action") return true;
  const read = new Set<string>();
  const visit = (part: unknown): void => {
    if (part === null || typeof part !== "object") return;
    if ("kind" in part && part.kind === "field" && "row" in part && part.row === "new" && "path" in part)
      read.add(String((part.path as readonly unknown[])[0]));
    for (const one of Object.values(part)) visit(one);
  };
  visit([act, guard]);
  return [...read].every((name) => isWithin(is.input.get(name), was.input.get(name)));
}

function isWrite({ act }: Effect): boolean {
  return act.kind === "create" || act.kind === "update" || act.kind === "transition" || act.kind === "delete";
}

function startName({ kind, name }: Start): string {
  return `${kind} ${name}`;
}

/** The starts that somebody can newly cause: by a request, or through a new effect; and the starts that follow. */
function openedStarts(
  { effects }: Reduction,
  gained: readonly Effect[],
  { before, after, loosened }: { readonly before: Model; readonly after: Model; readonly loosened: readonly Change[] },
): ReadonlySet<string> {
  const opened = new Set<string>();
  const letIn = new Set(
    loosened.flatMap(({ witness }) => (witness === undefined ? [] : [`${witness.entity} ${witness.operation}`])),
  );
  for (const { start } of effects) {
    if (start.kind !== "event" || opened.has(startName(start))) continue;
    if (hasNewCause(start.name, before, after)) opened.add(startName(start));
    const causes = operationsOf(start.name, after);
    if (causes?.names.some((operation) => letIn.has(`${causes.entity} ${operation}`))) opened.add(startName(start));
  }
  const spread = (effect: Effect): void => {
    for (const key of startsOf(effect, after)) opened.add(key);
  };
  for (const effect of gained) spread(effect);
  for (let size = -1; size !== opened.size; ) {
    size = opened.size;
    for (const effect of effects) if (opened.has(startName(effect.start))) spread(effect);
  }
  return opened;
}

function startsOf({ act }: Effect, after: Model): readonly string[] {
  const none = { kind: "literal", value: null } as const;
  switch (act.kind) {
    case "create":
      return startsCausedBy({ kind: "record.create", entity: act.entity, values: {} }, after);
    case "update":
      return act.edge === null
        ? startsCausedBy({ kind: "record.update", entity: act.entity, id: none, values: {} }, after)
        : [];
    case "delete":
      return startsCausedBy({ kind: "record.delete", entity: act.entity, id: none }, after);
    case "transition":
      return startsCausedBy(
        { kind: "record.transition", entity: act.entity, id: none, edge: act.edge, values: {} },
        after,
      );
    case "emit":
      return [`event ${act.name}`];
    case "run":
      return [`worker ${act.name}`];
    case "show":
    case "leave":
      return [];
  }
}
