// Finds the cases to search. In: two skeletons. Out: the cases in which the first rule can be true and the second not
// true, each as a list of goals that must be met together. It solves what follows from the structure alone:
// contradictions, and choices with only one way left. It tries no values; `compare-search.ts` does.
import type { ComparisonBudget } from "./compare-budget.ts";
import { ANY, FALSE, negated, outcomeOfConstant, TRUE, UNKNOWN } from "./compare-outcomes.ts";
import type { Skeleton } from "./compare-variables.ts";

export interface Goal {
  readonly skeleton: Skeleton;
  /** The outcomes that satisfy the goal, as bits. */
  readonly outcomes: number;
  readonly variables: readonly number[];
}

/** With more cases than this, the search continues with the rest. */
const CASES_MAX = 64;

/** Equal parts have equal keys. */
type Goals = Map<string, Goal>;

/** Null if the budget is exhausted. */
export function casesOf(
  holds: Skeleton,
  fails: Skeleton,
  budget: ComparisonBudget,
): readonly (readonly Goal[])[] | null {
  const facts = createFacts();
  const goals: Goals = new Map();
  if (!budget.spend(facts.sizeOf(holds) + facts.sizeOf(fails))) return null;
  const possible = require(goals, holds, TRUE, facts) && require(goals, fails, FALSE | UNKNOWN, facts);
  if (!possible) return [];
  let cases: Goals[] = [goals];
  // The rule that must be true is often a list of alternatives; the rule that must not be true, a list of conditions.
  for (let round = 0; round < 2; round++) {
    const split: Goals[] = [];
    for (const [index, one] of cases.entries()) {
      const settled = settle(one, facts, budget);
      if (settled === "budget") return null;
      if (settled === "impossible") continue;
      const room = CASES_MAX - split.length - (cases.length - index - 1);
      split.push(...splitLargest(one, room, facts));
    }
    cases = split;
  }
  const open: (readonly Goal[])[] = [];
  for (const one of cases) {
    const settled = settle(one, facts, budget);
    if (settled === "budget") return null;
    if (settled === "settled") open.push([...one.values()]);
  }
  return open;
}

/** A part, and the outcomes that it must have. */
interface Demand {
  readonly skeleton: Skeleton;
  readonly outcomes: number;
  readonly key: string;
}

interface Facts {
  readonly sizeOf: (skeleton: Skeleton) => number;
  readonly variablesOf: (skeleton: Skeleton) => readonly number[];
  /** What must be met for the part to have this outcome: all of these together. */
  readonly demands: (skeleton: Skeleton, outcomes: number) => readonly Demand[];
  /** The alternatives for the part to have this outcome; null if there is no choice. */
  readonly waysTo: (skeleton: Skeleton, outcomes: number) => readonly Demand[] | null;
}

interface Known {
  readonly key: string;
  readonly size: number;
  readonly variables: readonly number[];
  readonly demands: Map<number, readonly Demand[]>;
  readonly ways: Map<number, readonly Demand[] | null>;
}

/** Caches what is asked again and again about a part. */
function createFacts(): Facts {
  const known = new Map<Skeleton, Known>();
  const numbers = new Map<string, number>();
  const of = (skeleton: Skeleton): Known => {
    const found = known.get(skeleton) ?? { ...measured(skeleton), demands: new Map(), ways: new Map() };
    known.set(skeleton, found);
    return found;
  };
  const measured = (skeleton: Skeleton): Pick<Known, "key" | "size" | "variables"> => {
    if (skeleton.kind === "constant") return { key: String(skeleton.value), size: 1, variables: [] };
    if (skeleton.kind === "atom") {
      return { key: `a${skeleton.atom.index}`, size: 1, variables: skeleton.atom.variables };
    }
    const args = skeleton.args.map(of);
    // A number for each text keeps keys short, however deep the tree is.
    const text = `${skeleton.kind} ${args.map((one) => one.key).join()}`;
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return {
      key: `p${number}`,
      size: args.reduce((sum, one) => sum + one.size, 1),
      variables: [...new Set(args.flatMap((one) => one.variables))],
    };
  };
  const demand = (skeleton: Skeleton, outcomes: number): Demand => ({ skeleton, outcomes, key: of(skeleton).key });
  const demands: Facts["demands"] = (skeleton, outcomes) => {
    const { demands: created } = of(skeleton);
    const found = created.get(outcomes) ?? demandsOf(skeleton, outcomes);
    created.set(outcomes, found);
    return found;
  };
  const demandsOf: Facts["demands"] = (skeleton, outcomes) => {
    if (skeleton.kind === "not") return skeleton.args.flatMap((one) => demands(one, negated(outcomes)));
    const all =
      (skeleton.kind === "and" && (outcomes === TRUE || outcomes === (TRUE | UNKNOWN))) ||
      (skeleton.kind === "or" && (outcomes === FALSE || outcomes === (FALSE | UNKNOWN)));
    return all ? skeleton.args.flatMap((one) => demands(one, outcomes)) : [demand(skeleton, outcomes)];
  };
  const waysTo: Facts["waysTo"] = (skeleton, outcomes) => {
    const { ways } = of(skeleton);
    const found = ways.get(outcomes);
    if (found !== undefined) return found;
    const created = waysOf(skeleton, outcomes);
    ways.set(outcomes, created);
    return created;
  };
  const waysOf: Facts["waysTo"] = (skeleton, outcomes) => {
    const [only] = skeleton.kind === "not" ? skeleton.args : [];
    if (only !== undefined) return waysTo(only, negated(outcomes)) ?? [demand(only, negated(outcomes))];
    const any =
      (skeleton.kind === "and" && (outcomes === FALSE || outcomes === (FALSE | UNKNOWN))) ||
      (skeleton.kind === "or" && (outcomes === TRUE || outcomes === (TRUE | UNKNOWN)));
    if (!any || !("args" in skeleton)) return null;
    return skeleton.args.flatMap((one) => waysTo(one, outcomes) ?? [demand(one, outcomes)]);
  };
  return {
    sizeOf: (skeleton) => of(skeleton).size,
    variablesOf: (skeleton) => of(skeleton).variables,
    demands,
    waysTo,
  };
}

/** Adds a demand. Returns false if it contradicts an earlier one. */
function require(goals: Goals, whole: Skeleton, wanted: number, facts: Facts): boolean {
  for (const { skeleton, outcomes, key } of facts.demands(whole, wanted)) {
    if (skeleton.kind === "constant") {
      if ((outcomeOfConstant(skeleton.value) & outcomes) === 0) return false;
      continue;
    }
    const both = (goals.get(key)?.outcomes ?? ANY) & outcomes;
    if (both === 0) return false;
    goals.set(key, { skeleton, outcomes: both, variables: facts.variablesOf(skeleton) });
  }
  return true;
}

function contradicts(goals: Goals, way: Demand, facts: Facts): boolean {
  for (const { skeleton, outcomes, key } of facts.demands(way.skeleton, way.outcomes)) {
    const possible =
      skeleton.kind === "constant" ? outcomeOfConstant(skeleton.value) : (goals.get(key)?.outcomes ?? ANY);
    if ((possible & outcomes) === 0) return true;
  }
  return false;
}

/** If a choice has only one way left, takes it, until every choice has at least two. */
function settle(goals: Goals, facts: Facts, budget: ComparisonBudget): "settled" | "impossible" | "budget" {
  for (let changed = true; changed; ) {
    changed = false;
    for (const [key, goal] of goals) {
      if (!budget.spend(2 * facts.sizeOf(goal.skeleton))) return "budget";
      const ways = facts.waysTo(goal.skeleton, goal.outcomes);
      if (ways === null) continue;
      const [only, another] = ways.filter((way) => !contradicts(goals, way, facts));
      if (only === undefined) return "impossible";
      if (another !== undefined) continue;
      goals.delete(key);
      if (!require(goals, only.skeleton, only.outcomes, facts)) return "impossible";
      changed = true;
    }
  }
  return "settled";
}

/** One set of goals for each way to satisfy the largest choice. */
function splitLargest(goals: Goals, room: number, facts: Facts): readonly Goals[] {
  let largest: { key: string; ways: readonly Demand[]; size: number } | null = null;
  for (const [key, { skeleton, outcomes }] of goals) {
    const size = facts.sizeOf(skeleton);
    const ways = facts.waysTo(skeleton, outcomes);
    if (ways !== null && size > (largest?.size ?? 0)) largest = { key, ways, size };
  }
  if (largest === null) return [goals];
  const { key, ways } = largest;
  const left = ways.filter((way) => !contradicts(goals, way, facts));
  if (left.length > room) return [goals];
  return left.flatMap(({ skeleton, outcomes }) => {
    const own: Goals = new Map(goals);
    own.delete(key);
    return require(own, skeleton, outcomes, facts) ? [own] : [];
  });
}
