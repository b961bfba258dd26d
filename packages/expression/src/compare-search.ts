// Searches for assignments. In: goals that must be met together, and the possible values of their variables. Out: the
// assignments that meet all goals, one after the other. It assigns one variable at a time, and stops as soon as one
// goal can't be met any more.
import type { ComparisonBudget } from "./compare-budget.ts";
import type { Domain } from "./compare-domains.ts";
import type { Goal } from "./compare-goals.ts";
import { createOutcomes } from "./compare-outcomes.ts";
import type { Skeleton, Variable } from "./compare-variables.ts";
import type { Value } from "./datum.ts";

export interface Search {
  readonly goals: readonly Goal[];
  readonly variables: readonly Variable[];
  readonly domains: readonly Domain[];
  /** Roles by variable, and the roles of every signed-in user. */
  readonly roles: ReadonlyMap<number, string>;
  readonly rolesOfUsers: readonly string[];
  /** Variables for which trying false is enough. */
  readonly settled: ReadonlySet<number>;
}

export type Assignment = ReadonlyMap<number, Value>;

/** `none`: there is no (further) assignment. `too_many`: there may be one, but the budget is exhausted. */
export type SearchResult = "found" | "none" | "too_many";

/**
 * Calls `found` with each assignment until it returns true. A variable that is missing in an assignment can have any
 * value.
 */
export function searchGoals(
  search: Search,
  found: (assignment: Assignment) => boolean,
  budget: ComparisonBudget,
): SearchResult {
  const parts = independentParts(search.goals);
  // If one part can't be met, the others are not tried.
  if (parts.length > 1) {
    for (const goals of parts) {
      const result = searchTogether({ ...search, goals }, () => true, budget);
      if (result !== "found") return result;
    }
  }
  return searchTogether({ ...search, goals: parts.flat() }, found, budget);
}

/** Goals that share no variable, directly or indirectly, are solved separately. */
function independentParts(goals: readonly Goal[]): Goal[][] {
  let parts: { goals: Goal[]; variables: Set<number> }[] = [];
  for (const goal of goals) {
    const own = { goals: [goal], variables: new Set(goal.variables) };
    const [apart, touching] = [[] as typeof parts, [] as typeof parts];
    for (const part of parts) {
      (goal.variables.some((one) => part.variables.has(one)) ? touching : apart).push(part);
    }
    for (const part of touching) {
      own.goals.push(...part.goals);
      for (const one of part.variables) own.variables.add(one);
    }
    parts = [...apart, own];
  }
  return parts.sort((a, b) => a.variables.size - b.variables.size).map((part) => part.goals);
}

function searchTogether(
  search: Search,
  found: (assignment: Assignment) => boolean,
  budget: ComparisonBudget,
): SearchResult {
  const assignment = new Map<number, Value>();
  const outcomeOf = createOutcomes(search.domains, assignment, budget);

  /** `open`: goals that are not certainly met yet. `touched`: the variable that was assigned last. */
  function step(open: readonly Goal[], touched: number | null): SearchResult {
    const still: Goal[] = [];
    for (const goal of open) {
      if (touched !== null && !goal.variables.includes(touched)) {
        still.push(goal);
        continue;
      }
      const outcomes = outcomeOf(goal.skeleton);
      if ((outcomes & goal.outcomes) === 0) return "none";
      if ((outcomes & ~goal.outcomes) !== 0) still.push(goal);
    }
    if (!budget.spend(1 + open.length)) return "too_many";
    if (still.length === 0) return found(assignment) ? "found" : "none";
    const next = nextVariable(search, still, outcomeOf, assignment);
    if (next === null) throw new Error("a goal is open, and nothing is left to assign");
    for (const value of choices(search, next, assignment)) {
      assignment.set(next.index, value);
      const result = step(still, next.index);
      if (result !== "none") return result;
      assignment.delete(next.index);
    }
    return "none";
  }
  return step(search.goals, null);
}

/**
 * A variable of the goal with the fewest unassigned variables: preferably of its first open atom, and one that is
 * analysed.
 */
function nextVariable(
  { variables }: Search,
  open: readonly Goal[],
  outcomeOf: (skeleton: Skeleton) => number,
  assignment: Assignment,
): Variable | null {
  let nearest: Goal | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const goal of open) {
    let lacking = 0;
    for (const one of goal.variables) if (!assignment.has(one)) lacking++;
    if (lacking < fewest) [nearest, fewest] = [goal, lacking];
  }
  if (nearest === null) return null;
  let abstract: Variable | null = null;

  function visit(skeleton: Skeleton): Variable | null {
    const outcome = outcomeOf(skeleton);
    if ((outcome & (outcome - 1)) === 0) return null;
    if (skeleton.kind === "atom") {
      const missing = skeleton.atom.variables.filter((one) => !assignment.has(one));
      const found = missing.flatMap((one) => variables[one] ?? []);
      const exact = found.find((one) => one.kind !== "abstract");
      abstract ??= found[0] ?? null;
      return exact ?? null;
    }
    if (skeleton.kind === "constant") return null;
    for (const one of skeleton.args) {
      const found = visit(one);
      if (found !== null) return found;
    }
    return null;
  }
  const chosen = visit(nearest.skeleton) ?? abstract;
  if (chosen === null || !(chosen.ofUser || chosen.kind === "role")) return chosen;
  const signedIn = variables.find((one) => one.kind === "signed_in");
  return signedIn === undefined || assignment.has(signedIn.index) ? chosen : signedIn;
}

/** The values that a variable can have, given the assigned ones. */
function* choices(
  { domains, variables, roles, rolesOfUsers, settled }: Search,
  variable: Variable,
  assignment: Assignment,
): Generator<Value> {
  const domain = domains[variable.index];
  if (domain === undefined) return;
  const signedIn = variables.find((one) => one.kind === "signed_in");
  const isSignedIn = signedIn !== undefined && assignment.get(signedIn.index) === true;
  if (variable.kind === "role") {
    // A user has any roles. Without a user there is a key with one role.
    if (isSignedIn && rolesOfUsers.includes(roles.get(variable.index) ?? "")) yield true;
    else {
      yield false;
      const other = !isSignedIn && [...roles.keys()].some((one) => assignment.get(one) === true);
      if (!other && !settled.has(variable.index)) yield true;
    }
    return;
  }
  if (variable.ofUser && !isSignedIn) {
    yield null;
    return;
  }
  if (settled.has(variable.index)) {
    yield false;
    return;
  }
  const taken = domain.unnamed === null ? null : takenUnnamed(domains, domain, assignment);
  for (const value of domain.values) {
    if (value === null && !variable.nullable) continue;
    const rank = domain.unnamed?.get(value);
    if (taken === null || rank === undefined || rank <= taken) yield value;
  }
}

/** How many of a group's unnamed values are used. */
function takenUnnamed(
  domains: readonly Domain[],
  { unnamed, group }: Domain,
  assignment: ReadonlyMap<number, Value>,
): number {
  let taken = 0;
  for (const [index, value] of assignment) {
    const rank = domains[index]?.group === group ? unnamed?.get(value) : undefined;
    if (rank !== undefined) taken = Math.max(taken, rank + 1);
  }
  return taken;
}

/**
 * Booleans that only ever help the rule that must not be true: false is their smallest value, so nothing else needs to
 * be tried. (`&&`, `||` and the branches of `?:` are monotonic in the order false, unknown, true.)
 */
export function settledVariables(
  holds: Skeleton,
  fails: Skeleton,
  { roles, rolesOfUsers }: Pick<Search, "roles" | "rolesOfUsers">,
): ReadonlySet<number> {
  const harmful = new Set<number>();
  const seen = new Set<number>();

  function visit(skeleton: Skeleton, direction: "up" | "down" | "both", harmless: "up" | "down"): void {
    switch (skeleton.kind) {
      case "constant":
        return;
      case "atom": {
        const bare = skeleton.atom.condition.kind === "field";
        for (const one of skeleton.atom.variables) {
          seen.add(one);
          if (!bare || direction !== harmless) harmful.add(one);
        }
        return;
      }
      case "not":
        for (const one of skeleton.args) visit(one, opposite[direction], harmless);
        return;
      case "choice":
        for (const [index, one] of skeleton.args.entries()) visit(one, index === 0 ? "both" : direction, harmless);
        return;
      case "and":
      case "or":
        for (const one of skeleton.args) visit(one, direction, harmless);
    }
  }
  visit(fails, "up", "up");
  visit(holds, "up", "down");
  const ofUsers = new Set([...roles].filter(([, role]) => rolesOfUsers.includes(role)).map(([index]) => index));
  return new Set([...seen].filter((one) => !harmful.has(one) && !ofUsers.has(one)));
}

const opposite = { up: "down", down: "up", both: "both" } as const;
