// Compares two versions of a rule. In: the rule before and after a change. Out: whether the new one gives somebody access
// whom the old one denied it, with rows and a user that show it. If it can't decide this, it says so. It never reports a
// looser rule as anything but looser or undecided.
//
// Why a finite search is enough. A rule is a tree of `&&`, `||`, `!`, `?:` over atoms. An atom consists of comparisons, `in`
// and tests for null over variables: fields, properties of the user, values of the request. The result of a comparison only
// depends on
//   - how its values are ordered relative to the constants with which they are compared, directly or through other
//     variables (equal to one, in a gap between two neighbours, below all or above all), and relative to each other;
//   - which of them are null.
// Variables that are compared with each other, directly or not, form a group with their constants. A group of k variables
// can have at most k different values in one gap. Take any values of the variables. Replace those in each gap by the same
// number of other values in this gap, in the same order, and keep the constants. Then every comparison has the same result,
// and so has every atom and both rules. Therefore these values represent all values: the constants, null, and k values from
// each gap (all of them if a gap has fewer: between 3 and 5 there is one whole number). The size of a gap is counted exactly
// for whole numbers, decimals with known places, dates, times (microseconds), UUIDs, and texts in code point order, where
// the next text after a text is the same text with U+0001 added. If nothing compares the order, k values that no rule names
// are enough in total, and they are interchangeable. For an enum, all values are tried, except those that no rule names and
// that are only compared for equality: k of these are enough. A list is represented by the named members that it contains.
// Roles are booleans: a user has `public`, `user`, `owner` and any assigned roles, a key has `public` and at most one other.
// Booleans are tried.
//
// Everything else (arithmetic, text tests, `each`, `member`, sent values, `size`) counts as a free value of its type, or null,
// the same one wherever the same expression occurs. This can only add combinations that no row has. If even these give
// nobody new access, the new rule is proven to be at most as wide. Fields behind a reference are free values, too. So a
// result of the search is turned into rows and a user, and both rules are evaluated on them: a witness is verified. If
// results are found and none can be turned into rows, the answer is "undecided".
//
// Other reasons why a row can't exist (checks, limits of a field, unique rules) are not considered: a witness can be a row
// that only another change makes possible.
//
// Limits: the budget of `compare-budget.ts`, CANDIDATES_MAX combinations turned into rows, VARIABLES_MAX variables. Beyond
// them, the answer is "undecided".
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
