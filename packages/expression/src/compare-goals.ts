// In: two skeletons. Out: the cases in which the first can hold and the second not, each a list of goals that must be met
// together. What settles itself in the structure alone is settled here: a part that would have to be true and not true at
// once, a choice of which one way is left. It tries no values; `compare-search.ts` does that.
import type { ComparisonBudget } from "./compare-budget.ts";
import { ANY, FALSE, negated, outcomeOfConstant, TRUE, UNKNOWN } from "./compare-outcomes.ts";
import type { Skeleton } from "./compare-variables.ts";

export interface Goal {
  readonly skeleton: Skeleton;
  /** The outcomes that meet it, as bits. */
  readonly outcomes: number;
  readonly variables: readonly number[];
}

/** More cases than these are left to the search. */
const CASES_MAX = 64;

/** Equal parts have equal keys. */
type Goals = Map<string, Goal>;

/** Null where the budget doesn't reach. */
export function casesOf(holds: Skeleton, fails: Skeleton, budget: ComparisonBudget): readonly (readonly Goal[])[] | null {
  const facts = createFacts();
  const goals: Goals = new Map();
  if (!budget.spend(facts.sizeOf(holds) + facts.sizeOf(fails))) return null;
  const possible = require(goals, holds, TRUE, facts) && require(goals, fails, FALSE | UNKNOWN, facts);
  if (!possible) return [];
  let cases: Goals[] = [goals];
  // The rule that must hold is often a list of any; the rule that must fail, a list of all.
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

interface Facts {
  readonly keyOf: (skeleton: Skeleton) => string;
  readonly sizeOf: (skeleton: Skeleton) => number;
  readonly variablesOf: (skeleton: Skeleton) => readonly number[];
}

/** What is asked of a part again and again, found once. */
function createFacts(): Facts {
  const known = new Map<Skeleton, { key: string; size: number; variables: readonly number[] }>();
  const numbers = new Map<string, number>();
  const of = (skeleton: Skeleton): { key: string; size: number; variables: readonly number[] } => {
    const found = known.get(skeleton);
    if (found !== undefined) return found;
    const made = make(skeleton);
    known.set(skeleton, made);
    return made;
  };
  const make = (skeleton: Skeleton): { key: string; size: number; variables: readonly number[] } => {
    if (skeleton.kind === "constant") return { key: String(skeleton.value), size: 1, variables: [] };
    if (skeleton.kind === "atom") {
      return { key: `a${skeleton.atom.index}`, size: 1, variables: skeleton.atom.variables };
    }
    const args = skeleton.args.map(of);
    // A number for each text keeps keys short however deep they lie.
    const text = `${skeleton.kind} ${args.map((one) => one.key).join()}`;
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return {
      key: `p${number}`,
      size: args.reduce((sum, one) => sum + one.size, 1),
      variables: [...new Set(args.flatMap((one) => one.variables))],
    };
  };
  return {
    keyOf: (skeleton) => of(skeleton).key,
    sizeOf: (skeleton) => of(skeleton).size,
    variablesOf: (skeleton) => of(skeleton).variables,
  };
}

/** What must be met for the part to come out so: each of these, all together. */
function* demands(skeleton: Skeleton, outcomes: number): Generator<readonly [Skeleton, number]> {
  const [only] = skeleton.kind === "not" ? skeleton.args : [];
  if (only !== undefined) yield* demands(only, negated(outcomes));
  else if (skeleton.kind === "and" && (outcomes === TRUE || outcomes === (TRUE | UNKNOWN))) {
    for (const one of skeleton.args) yield* demands(one, outcomes);
  } else if (skeleton.kind === "or" && (outcomes === FALSE || outcomes === (FALSE | UNKNOWN))) {
    for (const one of skeleton.args) yield* demands(one, outcomes);
  } else yield [skeleton, outcomes];
}

/** The ways in which the part can come out so, each enough by itself; one where it is no choice. */
function waysTo(skeleton: Skeleton, outcomes: number): readonly (readonly [Skeleton, number])[] {
  const [only] = skeleton.kind === "not" ? skeleton.args : [];
  if (only !== undefined) return waysTo(only, negated(outcomes));
  if (skeleton.kind === "and" && (outcomes === FALSE || outcomes === (FALSE | UNKNOWN))) {
    return skeleton.args.flatMap((one) => waysTo(one, outcomes));
  }
  if (skeleton.kind === "or" && (outcomes === TRUE || outcomes === (TRUE | UNKNOWN))) {
    return skeleton.args.flatMap((one) => waysTo(one, outcomes));
  }
  return [[skeleton, outcomes]];
}

/** Adds what is demanded; false where that contradicts what is demanded already. */
function require(goals: Goals, whole: Skeleton, wanted: number, facts: Facts): boolean {
  for (const [skeleton, outcomes] of demands(whole, wanted)) {
    if (skeleton.kind === "constant") {
      if ((outcomeOfConstant(skeleton.value) & outcomes) === 0) return false;
      continue;
    }
    const key = facts.keyOf(skeleton);
    const both = (goals.get(key)?.outcomes ?? ANY) & outcomes;
    if (both === 0) return false;
    goals.set(key, { skeleton, outcomes: both, variables: facts.variablesOf(skeleton) });
  }
  return true;
}

function contradicts(goals: Goals, whole: Skeleton, wanted: number, facts: Facts): boolean {
  for (const [skeleton, outcomes] of demands(whole, wanted)) {
    const possible =
      skeleton.kind === "constant"
        ? outcomeOfConstant(skeleton.value)
        : (goals.get(facts.keyOf(skeleton))?.outcomes ?? ANY);
    if ((possible & outcomes) === 0) return true;
  }
  return false;
}

/** Takes the only way that is left wherever there is but one, until every choice has two. */
function settle(goals: Goals, facts: Facts, budget: ComparisonBudget): "settled" | "impossible" | "budget" {
  for (let changed = true; changed; ) {
    changed = false;
    for (const [key, goal] of goals) {
      if (!budget.spend(facts.sizeOf(goal.skeleton))) return "budget";
      const ways = waysTo(goal.skeleton, goal.outcomes);
      const [first] = ways;
      if (first?.[0] === goal.skeleton) continue;
      const left = ways.filter(([part, outcomes]) => !contradicts(goals, part, outcomes, facts));
      const [only, another] = left;
      if (only === undefined) return "impossible";
      if (another !== undefined) continue;
      goals.delete(key);
      if (!require(goals, only[0], only[1], facts)) return "impossible";
      changed = true;
    }
  }
  return "settled";
}

/** One set of goals for each way to meet the largest choice. */
function splitLargest(goals: Goals, room: number, facts: Facts): readonly Goals[] {
  let largest: { key: string; goal: Goal; size: number } | null = null;
  for (const [key, goal] of goals) {
    const size = facts.sizeOf(goal.skeleton);
    const isChoice = waysTo(goal.skeleton, goal.outcomes)[0]?.[0] !== goal.skeleton;
    if (isChoice && size > (largest?.size ?? 0)) largest = { key, goal, size };
  }
  if (largest === null) return [goals];
  const ways = waysTo(largest.goal.skeleton, largest.goal.outcomes);
  if (ways.length > room) return [goals];
  return ways.flatMap(([skeleton, outcomes]) => {
    const own: Goals = new Map(goals);
    own.delete(largest.key);
    return require(own, skeleton, outcomes, facts) ? [own] : [];
  });
}
