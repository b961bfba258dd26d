// Computes the possible outcomes of a skeleton. In: the possible values of variables, and the current assignment. Out:
// the outcomes that are still possible. `evaluate` decides every comparison; this file only has the truth tables of
// `&&`, `||`, `!` and `?:`.
import type { ComparisonBudget } from "./compare-budget.ts";
import type { Domain } from "./compare-domains.ts";
import { type Atom, nameOf, type Skeleton } from "./compare-variables.ts";
import type { Value } from "./datum.ts";
import { evaluate } from "./evaluate.ts";
import { countNodes } from "./walk.ts";

/** Sets of outcomes, as bits. */
export const TRUE = 1;
export const FALSE = 2;
export const UNKNOWN = 4;
export const ANY: number = TRUE | FALSE | UNKNOWN;

/** Evaluating one part of a comparison costs as much as this many looks at a rule. */
const JUDGING_WORK = 8;

/** The result of an atom is cached for each combination of its values. Every look is charged to the budget. */
export function createOutcomes(
  domains: readonly Domain[],
  assignment: ReadonlyMap<number, Value>,
  budget: ComparisonBudget,
): (skeleton: Skeleton) => number {
  const places = domains.map(({ values }) => new Map(values.map((value, index) => [value, index])));
  const judged = new Map<Atom, Map<number | string, number>>();
  const open = new Map<Atom, number>();
  const sizes = new Map<Atom, number>();

  function sizeOf(atom: Atom): number {
    const size = sizes.get(atom) ?? countNodes(atom.condition);
    sizes.set(atom, size);
    return size;
  }

  function judge(atom: Atom): number {
    budget.spend(JUDGING_WORK * sizeOf(atom));
    const values: Record<string, Value> = {};
    for (const variable of atom.variables) values[nameOf(variable)] = assignment.get(variable) ?? null;
    const context = { rows: { record: { values } }, user: { id: null, email: null, roles: [] } };
    const value = evaluate(atom.condition, context);
    return value === null ? UNKNOWN : value ? TRUE : FALSE;
  }

  /** An atom with one variable is tried with all its values. An atom with several variables can have any outcome. */
  function judgeOpen(atom: Atom): number {
    const known = open.get(atom);
    if (known !== undefined) return known;
    const [only, another] = atom.variables;
    let outcomes = ANY;
    if (only !== undefined && another === undefined) {
      outcomes = 0;
      const values = domains[only]?.values.length ?? 0;
      if (!budget.spend(JUDGING_WORK * sizeOf(atom) * values)) return ANY;
      for (const value of domains[only]?.values ?? []) {
        const context = {
          rows: { record: { values: { [nameOf(only)]: value } } },
          user: { id: null, email: null, roles: [] },
        };
        const result = evaluate(atom.condition, context);
        outcomes |= result === null ? UNKNOWN : result ? TRUE : FALSE;
      }
    }
    open.set(atom, outcomes);
    return outcomes;
  }

  /**
   * The index of an atom's combination of values; null while one is missing. It is a number unless there are too many
   * combinations.
   */
  function combinationOf(atom: Atom): number | string | null {
    let combination = 0;
    for (const variable of atom.variables) {
      const value = assignment.get(variable);
      const place = value === undefined ? undefined : places[variable]?.get(value);
      if (place === undefined) return null;
      combination = combination * (domains[variable]?.values.length ?? 1) + place;
    }
    if (Number.isSafeInteger(combination)) return combination;
    return JSON.stringify(atom.variables.map((variable) => assignment.get(variable)));
  }

  function outcomeOfAtom(atom: Atom): number {
    const combination = combinationOf(atom);
    if (combination === null) return judgeOpen(atom);
    const known = judged.get(atom) ?? new Map<number | string, number>();
    judged.set(atom, known);
    const outcome = known.get(combination) ?? judge(atom);
    known.set(combination, outcome);
    return outcome;
  }

  function outcomeOf(skeleton: Skeleton): number {
    budget.spend(1);
    switch (skeleton.kind) {
      case "constant":
        return outcomeOfConstant(skeleton.value);
      case "atom":
        return outcomeOfAtom(skeleton.atom);
      case "not":
        return negated(skeleton.args.map(outcomeOf)[0] ?? ANY);
      case "and":
        return conjunction(skeleton.args.map(outcomeOf));
      case "or":
        return negated(conjunction(skeleton.args.map((one) => negated(outcomeOf(one)))));
      case "choice": {
        const [condition = ANY, then = ANY, otherwise = ANY] = skeleton.args.map(outcomeOf);
        return (condition & UNKNOWN) | (condition & TRUE ? then : 0) | (condition & FALSE ? otherwise : 0);
      }
    }
  }
  return outcomeOf;
}

export function outcomeOfConstant(value: boolean | null): number {
  return value === null ? UNKNOWN : value ? TRUE : FALSE;
}

export function negated(outcomes: number): number {
  return (outcomes & UNKNOWN) | (outcomes & TRUE ? FALSE : 0) | (outcomes & FALSE ? TRUE : 0);
}

function conjunction(parts: readonly number[]): number {
  const falsified = parts.some((one) => (one & FALSE) !== 0) ? FALSE : 0;
  const truthful = parts.every((one) => (one & TRUE) !== 0) ? TRUE : 0;
  const open = parts.every((one) => (one & (TRUE | UNKNOWN)) !== 0) && parts.some((one) => (one & UNKNOWN) !== 0);
  return falsified | truthful | (open ? UNKNOWN : 0);
}
