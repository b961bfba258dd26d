// In: a rule before and after a change. Out: whether the new one lets somebody in whom the old one kept out, with rows and a
// user to show it. It decides, or says that it can't; it never calls a looser rule anything but looser or undecided.
//
// Why a finite search decides it. A rule is a tree of `&&`, `||`, `!`, `?:` over atoms, and an atom is built of comparisons,
// `in` and tests for null over variables: fields, properties of the user, what the request brings. A comparison can't tell
// more of its values than this:
//   - how they lie to the constants that they are compared with, directly or by way of other variables: on one, in a gap
//     between two neighbours, below all or above all; and how they lie to each other;
//   - which of them are null.
// So variables that are compared with each other, directly or not, form a group with its constants. A group of k variables
// can put at most k different values into one gap. Whatever values the variables have, replace those of each gap, in their
// order, by as many values of that gap, and each constant by itself: every comparison comes out as before, hence every atom,
// hence both rules. Therefore the constants, k values from each gap (all of them, where a gap has fewer: between 3 and 5
// there is one whole number) and null stand for all values. Gaps are counted exactly for whole numbers, decimals of known
// places, dates, times (microseconds), UUIDs, and texts in code point order, where the next after a text is that text and
// U+0001. Where nothing asks which value is greater, k values that no rule names are enough in all, and which of them is
// which doesn't matter. Values of an enum are all tried but for those that no rule names and that are only tested for being
// equal: k of these are enough. A list is known by which of the named members it holds; roles are booleans: a user has `public`,
// `user`, `owner` and any others that were given, a key has `public` and at most one other. Booleans are tried.
//
// What is not of this kind (arithmetic, text tests, `each`, `member`, what was sent, `size`) is taken for a free value of its
// type, or null, the same wherever the same expression stands. That can only add combinations that no row has: if even then
// none lets somebody new in, the new rule is at most as wide, and that is proven. Fields behind a reference are free values,
// too. Whatever the search finds is therefore made concrete, rows and user, and both rules are evaluated on it as they stand:
// a witness is a fact. If combinations are found, and none can be made concrete, the answer is "undecided".
//
// What else keeps rows from being (checks, bounds of a field, unique rules) is left out of account: a witness may be a row that
// only another change lets in.
//
// The bound: the budget of `compare-budget.ts`, CANDIDATES_MAX combinations made concrete, VARIABLES_MAX variables. Beyond it:
// "undecided".
import { type ComparisonBudget, createBudget, withinBudget } from "./compare-budget.ts";
import { domainsOf, namesOfRoles } from "./compare-domains.ts";
import { casesOf } from "./compare-goals.ts";
import { type Assignment, searchGoals, settledVariables } from "./compare-search.ts";
import { type ComparisonTypes, createReading, keyOf, type Variable } from "./compare-variables.ts";
import { contextOf } from "./compare-witness.ts";
import type { Value } from "./datum.ts";
import { type EvaluationContext, evaluate } from "./evaluate.ts";
import type { Expression } from "./tree.ts";
import { countNodes } from "./walk.ts";

export type RuleComparison =
  | { readonly kind: "same" }
  /** At most what was allowed before. It allows less, unless that could not be decided. */
  | { readonly kind: "tighter" }
  | { readonly kind: "looser"; readonly witness: RuleWitness }
  /** `budget`: deciding it needs more work than allowed. `unknown`: no amount of work would decide it. */
  | { readonly kind: "undecided"; readonly because: "budget" | "unknown" };

export interface RuleWitness {
  /** A case in which the rule before is not true, and the rule after is true. */
  readonly context: EvaluationContext;
  /** The values that decide it: fields, properties of the user, and the request. */
  readonly reads: readonly { readonly expression: Expression; readonly value: Value }[];
}

const VARIABLES_MAX = 80;
const CANDIDATES_MAX = 300;
/** The cost of reading one part of a rule, in looks at a part of a rule. */
const READING_WORK = 6;
/** The cost of making a combination concrete and evaluating one part of a rule on it. */
const CANDIDATE_WORK = 100;
const EVALUATION_WORK = 6;

const denied: Expression = { kind: "literal", type: { kind: "bool" }, value: false };

/**
 * Null means that the permission doesn't exist. Both rules are for the same operation, over the rows after the change.
 */
export function compareRules(
  before: Expression | null,
  after: Expression | null,
  types: ComparisonTypes,
  budget: ComparisonBudget = createBudget(),
): RuleComparison {
  const loosened = findLoosening(before, after, types, budget);
  if (loosened !== null) return loosened;
  return { kind: findLoosening(after, before, types, budget) === null ? "same" : "tighter" };
}

/** Only the first half: whom the new rule newly lets in. Null if it is proven that this is nobody. */
export function findLoosening(
  before: Expression | null,
  after: Expression | null,
  types: ComparisonTypes,
  budget: ComparisonBudget = createBudget(),
): Extract<RuleComparison, { kind: "looser" | "undecided" }> | null {
  const [was, is] = [before ?? denied, after ?? denied];
  if (!budget.spend(READING_WORK * (countNodes(was) + countNodes(is)))) return beyondBudget;
  if (keyOf(was) === keyOf(is)) return null;
  const difference = findDifference(was, is, types, withinBudget(budget));
  if (difference === null || "kind" in difference) return difference;
  return { kind: "looser", witness: difference };
}

const beyondBudget = { kind: "undecided", because: "budget" } as const;
const unknown = { kind: "undecided", because: "unknown" } as const;

/** A caller whom `is` lets in and `was` doesn't; null if it is proven that there is none. */
function findDifference(
  was: Expression,
  is: Expression,
  types: ComparisonTypes,
  budget: ComparisonBudget,
): RuleWitness | null | Extract<RuleComparison, { kind: "undecided" }> {
  const reading = createReading(types);
  const [holds, fails] = [reading.skeleton(is), reading.skeleton(was)];
  const { variables, atoms } = reading;
  const cases = casesOf(holds, fails, budget);
  if (cases === null) return beyondBudget;
  if (cases.length === 0) return null;
  if (variables.length > VARIABLES_MAX) return beyondBudget;
  const domains = domainsOf(variables, atoms, budget);
  if (domains === "budget") return beyondBudget;
  if (domains === null) return unknown;
  let candidates = 0;
  let witness: RuleWitness | null = null;
  const roles = { roles: namesOfRoles(variables), rolesOfUsers: types.rolesOfUsers };
  const candidateWork = CANDIDATE_WORK + EVALUATION_WORK * (countNodes(was) + countNodes(is));
  const settled = settledVariables(holds, fails, roles);
  for (const goals of cases) {
    const search = { goals, variables, domains, settled, ...roles };
    const found = (assignment: Assignment): boolean => {
      if (!budget.spend(candidateWork)) return true;
      const context = contextOf(variables, assignment, types);
      if (context !== null && evaluate(is, context) === true && evaluate(was, context) !== true) {
        witness = { context, reads: readsOf(variables, assignment) };
      }
      return witness !== null || ++candidates >= CANDIDATES_MAX;
    };
    const result = searchGoals(search, found, budget);
    if (witness !== null) return witness;
    if (result === "too_many" || budget.left() === 0) return beyondBudget;
    if (result === "found") return unknown;
  }
  return candidates === 0 ? null : unknown;
}

function readsOf(variables: readonly Variable[], assignment: Assignment): RuleWitness["reads"] {
  return variables.flatMap((one) => {
    const value = assignment.get(one.index);
    return value === undefined || one.kind === "signed_in" ? [] : [{ expression: one.source, value }];
  });
}
